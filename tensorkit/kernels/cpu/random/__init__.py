"""Random bits made into numbers: Box-Muller pairs, permutations, counts, choices.

The generators themselves, and the fills, are in `tensorkit.random`.
"""
