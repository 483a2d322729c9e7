"""Normalisation, dropout, embeddings and similarities."""
