"""The static site: the course, the gallery, and a reference made from the docstrings; Sphinx builds it.

What draws a picture or writes a lesson as a page does not belong here.
"""
