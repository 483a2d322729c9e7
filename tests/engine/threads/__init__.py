"""Threads of the engine, other threads of the program, and children of a fork."""
