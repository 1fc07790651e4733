"""Convolutions: plain, depthwise, separable and transposed, in one to three dimensions."""
