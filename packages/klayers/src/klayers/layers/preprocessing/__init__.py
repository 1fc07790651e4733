"""Layers that prepare data: scaling and normalization of features."""
