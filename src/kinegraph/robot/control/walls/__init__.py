"""What happens where the goal cannot go: walls, restart, landing."""
