"""What a page needs that runs a lesson's Python in the browser: the kit's own sources in one file, with two fronts.

Pages themselves are made where lessons are exported. Nothing here is imported by the engine.
"""
