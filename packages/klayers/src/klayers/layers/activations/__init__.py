"""Activation functions as layers."""
