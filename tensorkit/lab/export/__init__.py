"""A lesson as a page that plays in any browser: how the page is written, and where its Python comes from."""
