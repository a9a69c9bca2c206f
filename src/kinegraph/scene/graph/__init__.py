"""`SceneGraph`: links as vertices, joints as edges; built up over five files.

`store` holds the data and keeps it consistent, `queries` reads, `flags` and `edits` change,
`scene_graph` composes whole graphs and is what users see.
"""

from kinegraph.scene.graph.paths import ShortestPath
from kinegraph.scene.graph.scene_graph import SceneGraph

__all__ = ["SceneGraph", "ShortestPath"]
