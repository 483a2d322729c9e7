"""Tests of recording, the backward pass, and what is built on them."""
