"""Core layers: projections, embeddings, masks and wrappers."""
