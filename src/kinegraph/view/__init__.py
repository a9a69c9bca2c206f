"""What is shown to a person: plots of runs. Each part needs its extra."""
