"""What scenes are made of, in numbers and words: sheets, tables, grids, strips, widths of a page.

No tensor is read here, and no SVG written.
"""
