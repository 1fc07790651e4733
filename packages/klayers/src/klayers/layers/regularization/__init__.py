"""Dropout, noise and activity penalties: layers that act while training only."""
