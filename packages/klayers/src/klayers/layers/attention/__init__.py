"""Attention: dot-product and additive, with one head or many."""
