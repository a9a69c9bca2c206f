"""Recording a run into a file that survives a kill, and reading it back."""
