"""Tests of what a training script needs: models, optimisers, data, files."""
