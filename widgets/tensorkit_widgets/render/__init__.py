"""Scenes and sheets as SVG and as text: marks, colours, the frame around a picture.

No tensor is read here, and nothing is placed.
"""
