"""Configuration of the documentation."""

project = "kinegraph"
author = "The kinegraph developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 3  # links of the form page.md#heading
smartquotes = False
html_theme = "furo"
html_title = "kinegraph"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_google_docstring = True
napoleon_use_rtype = False  # shapes such as (N, n) are no types to be linked
default_role = "code"  # docstrings mark code with single backticks
