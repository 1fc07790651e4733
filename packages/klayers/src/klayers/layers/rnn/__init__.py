"""Recurrent layers, their cells, and the wrappers over time."""
