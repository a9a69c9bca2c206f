"""The trajectory generator: axes, synchronisation, leash, and the end of a motion."""
