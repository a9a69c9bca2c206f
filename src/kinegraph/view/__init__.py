"""What is shown to a person: plots of runs. Each part needs its extra."""

from kinegraph.view.run_plot import plot_run

__all__ = ["plot_run"]
