"""What every widget is built on: pictures and boards that live in a notebook, saved pages, cells' hooks.

No tensor is drawn here.
"""
