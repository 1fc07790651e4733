"""Layers that move, repeat, cut or add values without computing with them."""
