"""A lesson's cells run on its page, in the browser's own Python: what a notebook's kernel does for a lesson in Jupyter.

How a widget speaks to its page is `widget/page_host.py`; the page itself is JavaScript.
"""
