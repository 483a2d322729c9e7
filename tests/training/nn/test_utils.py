"""Clipping of gradients, and parameters as one vector, as in PyTorch."""

from __future__ import annotations

import pytest

from tests.training.programs import differing

PROGRAMS = {
    "norms": """
torch.manual_seed(0)
def made():
    torch.manual_seed(1)
    params = [nn.Parameter(torch.ones(4, 3)), nn.Parameter(torch.ones(5)), nn.Parameter(torch.ones(())),
        nn.Parameter(torch.ones(2))]
    for p in params[:3]:
        p.grad = torch.randn(p.shape) * 3
    return params
clip = torch.nn.utils
for order in (2, 2.0, 1, 0.5, 3, "inf", float("inf"), 0, -1):
    for most in (0.5, 1, 1e6):
        params = made()
        found = [clip.clip_grad_norm_(params, most, order), *[p.grad for p in params]]
        if order not in ("inf", float("inf"), 0):  # the last digits follow the order of additions, and a library
            found = list(map(str, found))
        say(*found)
params = made()
total = clip.get_total_norm([p.grad for p in params[:3]])
say(str(total), clip.get_total_norm([]), clip.clip_grads_with_norm_(params, 1.0, total), str(params[0].grad))
say(str(clip.clip_grad_norm_(params[0], 0.1, foreach=True)), str(params[0].grad))
say(str(clip.clip_grad_norm_((p for p in params), 0.1, foreach=False)), str(clip.clip_grad_norm(params, 0.01)))
say(clip.clip_grad_norm_([params[3]], 1.0), clip.clip_grad_norm_([], 1.0), clip.clip_grad_norm_(iter([]), 1.0))
clip.clip_grad_norm_((p for p in []), 1.0)
""",
    "not finite": """
clip = torch.nn.utils
for bad in (float("nan"), float("inf"), -float("inf")):
    p = nn.Parameter(torch.ones(2))
    p.grad = torch.tensor([1.0, bad])
    fails(lambda: clip.clip_grad_norm_(p, 1.0, error_if_nonfinite=True))
    fails(lambda: clip.get_total_norm(p.grad, "inf", error_if_nonfinite=True))
    say(p.grad, clip.clip_grad_norm_([p], 1.0), p.grad)
m = nn.Parameter(torch.ones(2, device="meta"))
m.grad = torch.ones(2, device="meta")
fails(lambda: clip.clip_grad_norm_(m, 1.0, foreach=True))
fails(lambda: clip.clip_grad_value_(m, 1.0, foreach=True))
fails(lambda: clip.clip_grad_norm_(p, "a"))
fails(lambda: clip.clip_grad_norm_(3, 1.0))
""",
    "several dtypes": """
params = [nn.Parameter(torch.ones(3, dtype=d)) for d in (torch.float32, torch.float32, torch.float64)]
for place, p in enumerate(params):
    p.grad = torch.full((3,), 2.0 + place, dtype=p.dtype)
say(torch.nn.utils.clip_grad_norm_(params, 1.0), *[p.grad for p in params])
half = nn.Parameter(torch.ones(3, dtype=torch.bfloat16))
half.grad = torch.tensor([3.0, 4.0, 0.0], dtype=torch.bfloat16)
say(torch.nn.utils.clip_grad_norm_(half, 1.0), half.grad)
""",
    "values": """
params = [nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(2))]
params[0].grad = torch.tensor([-5.0, 0.2, float("nan")])
kept = params[0].grad
say(torch.nn.utils.clip_grad_value_(params, 1), params[0].grad, params[0].grad is kept, params[1].grad)
say(torch.nn.utils.clip_grad_value_(params[0], "0.1", foreach=False), kept,
    torch.nn.utils.clip_grad_value_(iter(params), 0.05), kept)
""",
    "recorded nothing": """
x = torch.ones(2, requires_grad=True)
(g,) = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
x.grad = g
say(torch.nn.utils.clip_grad_norm_(x, 1.0), x.grad)
""",
    "as a vector": """
params = [nn.Parameter(torch.arange(6.0).view(2, 3)), nn.Parameter(torch.ones(2)), nn.Parameter(torch.tensor(5.0))]
v = torch.nn.utils.parameters_to_vector(params)
say(v, torch.nn.utils.parameters_to_vector(p for p in params).sum())
w = torch.arange(9.0) * 2
say(torch.nn.utils.vector_to_parameters(w, params), params, params[0].data_ptr() == w.data_ptr())
w.zero_()
say(params[0], params[0].is_leaf)
fails(lambda: torch.nn.utils.vector_to_parameters([1.0], params))
fails(lambda: torch.nn.utils.vector_to_parameters(torch.ones(3), params))
fails(lambda: torch.nn.utils.parameters_to_vector([]))
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_says_what_pytorch_says(name: str) -> None:
    assert differing(PROGRAMS[name]) == []
