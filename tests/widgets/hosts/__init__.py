"""Widgets in JupyterLab, Notebook 7, Voila and saved pages, in a real browser."""
