"""The torque law and the envelopes around it."""
