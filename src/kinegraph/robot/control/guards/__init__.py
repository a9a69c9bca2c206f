"""Guards of a session: where it may go, how hard it may press, how old its target may be."""
