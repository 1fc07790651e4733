"""Pooling: local, global and adaptive, in one to three dimensions."""
