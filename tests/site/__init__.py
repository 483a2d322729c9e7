"""The static site, as `make site` writes it."""
