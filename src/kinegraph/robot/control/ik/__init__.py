"""The differential inverse kinematics: bounds, active set, priority, stall."""
