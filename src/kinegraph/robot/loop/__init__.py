"""The compiled loop: its memory, sockets, rings, sessions and thread."""
