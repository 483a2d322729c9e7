"""Networks."""

from tensorkit.nn import functional as functional
