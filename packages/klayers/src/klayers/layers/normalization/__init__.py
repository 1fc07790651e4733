"""Normalization by statistics of the batch, the sample or groups of channels."""
