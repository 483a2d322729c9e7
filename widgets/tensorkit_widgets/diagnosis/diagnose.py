"""Errors of tensor code, explained with the numbers at hand: which dimension failed, why, and what to do next.

The sentence that the library raised is matched (PyTorch's, which tensorkit says to the character, and NumPy's), and the
operands' own sizes and strides fill in the explanation.

>>> case = Case("view", "shape '[5, 2]' is invalid for input of size 12", "RuntimeError", (), (5, 2))
>>> found = diagnose(case)
>>> found.name, found.why
('view-count', 'a view shows the same elements: (5, 2) has room for 10, and the tensor has 12')
>>> found.then
('choose sizes that multiply to 12, or write -1 for one of them to have it worked out',)
"""

from __future__ import annotations

import re

from tensorkit_widgets.diagnosis import sizes as diagnosis_sizes
from tensorkit_widgets.diagnosis import values
from tensorkit_widgets.diagnosis.case import Case, Culprit, Diagnosis, Rule

__all__ = ["Case", "Culprit", "Diagnosis", "diagnose", "known_diagnoses"]

_RULES: tuple[tuple[str, re.Pattern[str], Rule], ...] = (*diagnosis_sizes.RULES, *values.RULES)


def known_diagnoses() -> list[str]:
    """The names of all errors that are explained."""
    return list(dict.fromkeys(name for name, _, _ in _RULES))


def diagnose(case: Case) -> Diagnosis | None:
    """What an error means for these operands; None for one that is not known."""
    for _, pattern, rule in _RULES:
        match = pattern.search(case.message)
        if match is not None:
            try:
                return rule(case, match)
            except (ValueError, IndexError, TypeError, StopIteration):  # operands unlike those of the message
                continue
    return None
