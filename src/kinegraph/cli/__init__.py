"""The command `kinegraph`: one file per sub-command."""
