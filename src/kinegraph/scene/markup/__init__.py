"""XML texts to numbers, poses and names and back: what URDF and SRDF share."""
