"""Errors of loading and saving."""

from __future__ import annotations

__all__ = ["UnsafeFileError"]


class UnsafeFileError(ValueError):
    """A file holds something that a model file has no need of and that could do harm."""
