"""Layers that join several tensors into one."""
