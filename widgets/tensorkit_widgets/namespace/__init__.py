"""What the names of a notebook reach in memory, and what a cell changed: looked at for every widget that follows cells.

Pictures of it are the widgets' own: ``memory/`` and ``device_map/``.
"""
