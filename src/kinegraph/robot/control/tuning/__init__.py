"""Live tuning: what of a running session may be changed, within which bounds, and how fast."""
