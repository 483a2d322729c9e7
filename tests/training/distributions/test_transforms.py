"""Transforms, constraints and where they lead: values, Jacobians, sizes, text and refusals."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit
from tests.training.distributions.facts import apart, made, told

VECTOR = "t([0.1, -0.4, 0.3])"
TRANSFORMS = {
    "T.ExpTransform()": VECTOR,
    "T.ExpTransform().inv": "t([0.1, 0.4])",
    "T.PowerTransform(t(2.))": "t([0.1, 0.4])",
    "T.PowerTransform(3)": "t([0.1, 0.4])",
    "T.SigmoidTransform()": "t([0.1, -90., 90.])",
    "T.SoftplusTransform()": VECTOR,
    "T.TanhTransform(cache_size=1)": VECTOR,
    "T.AbsTransform()": VECTOR,
    "T.AffineTransform(1., -2.)": VECTOR,
    "T.AffineTransform(t([1., 2., 3.]), t([0.5, 2., -1.]), event_dim=1)": VECTOR,
    "T.SoftmaxTransform()": VECTOR,
    "T.StickBreakingTransform()": VECTOR,
    "T.CorrCholeskyTransform()": VECTOR,
    "T.LowerCholeskyTransform()": "t([[0.1, 2.], [0.3, -1.]])",
    "T.PositiveDefiniteTransform()": "t([[0.1, 2.], [0.3, -1.]])",
    "T.ReshapeTransform((3,), (3, 1))": VECTOR,
    "T.ReshapeTransform((3,), (4,))": VECTOR,
    "T.ReshapeTransform((4,), (2, 2))": VECTOR,
    "T.IndependentTransform(T.ExpTransform(), 1)": VECTOR,
    "T.IndependentTransform(T.ExpTransform(), 2)": VECTOR,
    "T.ComposeTransform([T.AffineTransform(1., 2.), T.TanhTransform()])": VECTOR,
    "T.ComposeTransform([T.ExpTransform(), T.StickBreakingTransform()], cache_size=1)": VECTOR,
    "T.ComposeTransform([])": VECTOR,
    "T.identity_transform.inv": VECTOR,
    "T.CatTransform([T.ExpTransform(), T.TanhTransform()], 0, [1, 2])": VECTOR,
    "T.CatTransform([T.ExpTransform(), T.TanhTransform()])": VECTOR,
    "T.CatTransform([T.ExpTransform()], 2)": VECTOR,
    "T.CatTransform([3])": VECTOR,
    "T.StackTransform([T.ExpTransform(), T.TanhTransform(), T.AbsTransform()])": VECTOR,
    "T.CumulativeDistributionTransform(D.Normal(0., 1.))": VECTOR,
    "T.ExpTransform(2)": VECTOR,
}
CONSTRAINTS = {
    "C.boolean": "t([0., 1., 2.])",
    "C.cat([C.positive, C.real], 0, [1, 2])": VECTOR,
    "C.corr_cholesky": "t([[1., 0.], [0.6, 0.8]])",
    "C.dependent": VECTOR,
    "C.greater_than(0.1)": VECTOR,
    "C.greater_than_eq(0.1)": VECTOR,
    "C.half_open_interval(0., 0.3)": VECTOR,
    "C.independent(C.positive, 1)": VECTOR,
    "C.independent(3, 1)": VECTOR,
    "C.independent(C.real, -1)": VECTOR,
    "C.integer_interval(0, 2)": "t([0., 0.5, 3.])",
    "C.interval(-1., 0.1)": VECTOR,
    "C.less_than(0.1)": VECTOR,
    "C.lower_cholesky": "t([[1., 0.], [0.6, -0.8]])",
    "C.lower_triangular": "t([[1., 0.], [0.6, -0.8]])",
    "C.multinomial(2)": "t([[1., 1.], [2., 1.]])",
    "C.one_hot": "t([[0., 1.], [1., 1.]])",
    "C.positive_definite": "t([[2., 1.], [1., 2.]])",
    "C.positive_semidefinite": "t([[1., 1.], [1., 1.]])",
    "C.positive_integer": "t([0., 1.])",
    "C.real": "t([1., nan])",
    "C.real_vector": "t([1., nan])",
    "C.simplex": "t([[0.5, 0.5], [1., 1.]])",
    "C.square": "lib.zeros(2, 3)",
    "C.stack([C.positive, C.real, C.real], 0)": VECTOR,
    "C.symmetric": "t([[1., 2.], [1., 1.]])",
    "C.unit_interval": VECTOR,
    "C.MixtureSameFamilyConstraint(C.real)": VECTOR,
}


def transform_facts(lib: Any, text: str, value: str) -> dict[str, Any]:
    """Everything about a transform and what it makes of a value."""
    result = {"made": told(lambda: made(lib, text))}
    if "Error" in result["made"][1][0]:
        return result
    own, x = made(lib, text), made(lib, value)
    result["y"] = told(lambda: own(x))
    for name in ("domain", "codomain", "bijective", "sign", "event_dim", "inv"):
        result[name] = told(lambda name=name: getattr(own, name))
    result["inverse of the inverse"] = told(lambda: own.inv.inv is own)
    result["equal"] = told(
        lambda: [own == made(lib, text), own != own, own == made(lib, "T.ExpTransform()")][0]
    )
    result["cached"] = told(lambda: own.with_cache(1))
    for size in ((3,), (2, 6), ()):
        result[f"forward {size}"] = told(lambda size=size: own.forward_shape(lib.Size(size)))
        result[f"inverse {size}"] = told(lambda size=size: own.inverse_shape(lib.Size(size)))
    if result["y"][0] is not None:
        y = own(x)
        result["back"] = told(lambda: own.inv(y))
        result["same"] = told(lambda: own.inv(y) is x)
        result["jacobian"] = told(lambda: own.log_abs_det_jacobian(x, y))
        result["jacobian of the inverse"] = told(lambda: own.inv.log_abs_det_jacobian(y, x))
    return result


@pytest.mark.parity
def test_transforms_are_pytorchs(torch: Any) -> None:
    found = []
    for text, value in TRANSFORMS.items():
        found += apart(text, *(transform_facts(lib, text, value) for lib in (tensorkit, torch)))
    assert found == []


def constraint_facts(lib: Any, text: str, value: str) -> dict[str, Any]:
    """Everything about a constraint, and which transforms lead there."""
    result = {"made": told(lambda: made(lib, text))}
    if "Error" in result["made"][1][0]:
        return result
    own = made(lib, text)
    result |= {name: told(lambda name=name: getattr(own, name)) for name in ("is_discrete", "event_dim")}
    result["check"] = told(lambda: own.check(made(lib, value)))
    result["biject_to"] = told(lambda: lib.distributions.biject_to(own))
    result["transform_to"] = told(lambda: lib.distributions.transform_to(own))
    return result


@pytest.mark.parity
def test_constraints_are_pytorchs(torch: Any) -> None:
    found = []
    for text, value in CONSTRAINTS.items():
        found += apart(text, *(constraint_facts(lib, text, value) for lib in (tensorkit, torch)))
    assert found == []


def test_a_wrong_jacobian_would_be_seen() -> None:
    own = transform_facts(tensorkit, "T.ExpTransform()", VECTOR)
    other = own | {"jacobian": transform_facts(tensorkit, "T.TanhTransform()", VECTOR)["jacobian"]}
    assert len(apart("exp", own, other)) == 1
