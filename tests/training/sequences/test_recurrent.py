"""Recurrent layers and their cells, packed and padded sequences: values, gradients, text, refusals."""

from __future__ import annotations

import pytest

from tests.training.sequences.nearly import differing

PROGRAMS = {
    "layers": """
def one(kind, *args, size=(5, 2, 3), state=True, **kwargs):
    torch.manual_seed(5)
    m = kind(*args, **kwargs)
    begin(m)
    x = torch.rand(size, dtype=m.weight_ih_l0.dtype, requires_grad=True)
    both(flat(m(x)), x, *m.parameters())
    if state:
        hx = [torch.rand_like(h, requires_grad=True) for h in flat(m(x))[1:]]
        m.zero_grad(); x.grad = None
        both(flat(m(x, tuple(hx) if len(hx) > 1 else hx[0])), x, *hx, *m.parameters())

def flat(result):
    output, state = result
    return [output, *(state if isinstance(state, tuple) else [state])]

for kind in (nn.RNN, nn.LSTM, nn.GRU):
    one(kind, 3, 4)
    one(kind, 3, 4, bias=False, size=(5, 3))
    one(kind, 3, 4, 2, batch_first=True, bidirectional=True, size=(2, 5, 3))
    one(kind, 3, 2, num_layers=2, dropout=0.5, state=False)
    one(kind, 3, 4, batch_first=True, size=(5, 3), state=False, dtype=torch.float64)
one(nn.RNN, 3, 4, 1, "relu")
one(nn.RNN, 3, 4, nonlinearity="relu", bidirectional=True, state=False)
""",
    "projection": """
import warnings
warnings.simplefilter("ignore")
torch.manual_seed(5)
for more in ({}, {"bias": False, "num_layers": 2, "bidirectional": True, "batch_first": True}):
    m = nn.LSTM(3, 4, proj_size=2, **more)
    begin(m)
    x = torch.rand(3, 2, 3, requires_grad=True)
    output, (h, c) = m(x)
    both([output, h, c], x, *m.parameters())
""",
    "modes and text": """
m = nn.LSTM(3, 2, 2, dropout=0.5, dtype=torch.float64)
say(m, nn.RNN(3, 2, nonlinearity="relu"), nn.GRU(3, 2, 3, False, True, 0.25, True), nn.LSTM(4, 3, proj_size=1))
say(list(m.state_dict()), m._all_weights, [[tuple(w.shape) for w in one] for one in m.all_weights])
say(m.flatten_parameters(), nn.LSTM.__module__, m.mode, m.dropout, m.training, [n for n, _ in m.named_parameters()])
x = torch.rand(4, 1, 3, dtype=torch.float64)
torch.manual_seed(1)
trained = m(x)[0]
near(trained)
m.eval()
near(m(x)[0], m(x)[0])
with torch.no_grad():
    near(m(x)[0])
twin = pickle.loads(pickle.dumps(m))
near(twin(x)[0], copy.deepcopy(m)(x)[0])
other = nn.LSTM(3, 2, 2, dtype=torch.float64)
say(other.load_state_dict(m.state_dict()))
near(other(x)[0], m.float()(x.float())[0])
m.weight_ih_l0 = nn.Parameter(torch.zeros(8, 3))
near(m(x.float())[0])
nn.GRU(1, 1, dropout=0.5)
say(nn.GRU(3, 2, device="meta")(torch.empty(4, 1, 3, device="meta"))[0].shape)
""",
    "second derivatives": """
torch.manual_seed(2)
m = nn.LSTM(3, 2, bidirectional=True)
x = torch.rand(4, 2, 3, requires_grad=True)
output, (h, c) = m(x)
say(repr(output.grad_fn).split()[0], repr(h.grad_fn.next_functions[0][0]).split()[0])
near(*torch.autograd.grad(output.sum(), x, retain_graph=True))
slope, = torch.autograd.grad((output * output).sum() + (c * h).sum(), x, create_graph=True)
slope.square().sum().backward()
near(slope.detach(), x.grad, *(one.grad for one in m.parameters()))
""",
    "refused": """
for kind in (nn.RNN, nn.LSTM, nn.GRU):
    m = kind(3, 4)
    fails(lambda: m(torch.ones(5, 2, 2)))
    fails(lambda: m(torch.ones(3)))
    fails(lambda: m(torch.ones(1, 5, 2, 3)))
    fails(lambda: m(torch.ones(5, 2, 3, dtype=torch.float64)))
    fails(lambda: m(torch.ones(0, 2, 3)))
    fails(lambda: m(3))
    for h in (torch.ones(1, 4), torch.ones(1, 2, 4), torch.ones(1, 3, 4), torch.ones(2, 2, 4)):
        if kind is nn.LSTM:
            h = (h, h)
        fails(lambda: m(torch.ones(5, 3), h)[0].shape)
        fails(lambda: m(torch.ones(5, 2, 3), h)[0].shape)
    if kind is not nn.LSTM:  # PyTorch reads beyond the data there
        fails(lambda: m(nn.utils.rnn.pack_sequence([torch.ones(2, 2)])))
    for wrong in (
        {"dropout": 2}, {"dropout": True}, {"dropout": -0.5}, {"bias": 1}, {"batch_first": None}, {"num_layers": 0},
        {"proj_size": 1}, {"proj_size": -1}, {"proj_size": 4}, {"what": 1}, {"nonlinearity": "a"},
    ):
        fails(lambda: kind(3, 4, **wrong))
    fails(lambda: kind(0, 1))
    fails(lambda: kind(1, 0))
    fails(lambda: kind(1.5, 2))
    fails(lambda: kind(1, "a"))
    fails(lambda: kind(1, 2, 1, "a"))
m = nn.LSTM(3, 4)
fails(lambda: m(torch.ones(5, 2, 3), (torch.ones(1, 2, 4), torch.ones(1, 3, 4))))
fails(lambda: m(torch.ones(5, 2, 3), (torch.ones(1, 2, 4), torch.ones(2, 4))))
fails(lambda: nn.RNNBase("a", 1, 2))
fails(lambda: nn.RNNBase("LSTM", 1, 2).mode)
""",
    "cells": """
torch.manual_seed(6)
for m in (nn.RNNCell(3, 4), nn.RNNCell(3, 4, False, "relu"), nn.LSTMCell(3, 4), nn.LSTMCell(3, 4, bias=False),
          nn.GRUCell(3, 4), nn.GRUCell(3, 4, dtype=torch.float64)):
    begin(m)
    two = isinstance(m, nn.LSTMCell)
    for size in ((2,), ()):
        x, h, c = (torch.rand(*size, n, dtype=m.weight_ih.dtype, requires_grad=True) for n in (3, 4, 4))
        m.zero_grad()
        both(m(x), x, *m.parameters())
        both(m(x, (h, c) if two else h), x, h, c)
        fails(lambda: m(x[..., :2]))
        fails(lambda: m(x, (h[..., :2], c) if two else h[..., :2]))
    fails(lambda: m(torch.ones(1, 2, 3)))
    fails(lambda: m(torch.ones(2, 3), torch.ones(1, 2, 4)))
    fails(lambda: m(torch.ones(2, 3).half()))
    fails(lambda: m(torch.ones(2, 3, dtype=m.weight_ih.dtype), (torch.ones(3, 4, dtype=m.weight_ih.dtype),) * 2
                    if two else torch.ones(3, 4, dtype=m.weight_ih.dtype)))
m = nn.RNNCell(1, 1, nonlinearity="a")
say(m)
fails(lambda: m(torch.ones(1, 1)))
fails(lambda: nn.LSTMCell(3, 4)(torch.ones(2, 3), torch.ones(2, 4)))
fails(lambda: nn.LSTMCell(3, 4)(torch.ones(2, 3), (torch.ones(2, 4), torch.ones(1, 1, 1))))
""",
    "packed": """
from itertools import product
U = nn.utils.rnn
torch.manual_seed(7)
x = torch.rand(5, 3, 2, requires_grad=True)
for kind, sort in product((nn.RNN, nn.LSTM, nn.GRU), (True, False)):
    m = kind(2, 3, 2, bidirectional=True)
    p = U.pack_padded_sequence(x, [5, 3, 1] if sort else torch.tensor([2, 5, 3]), enforce_sorted=sort)
    output, state = m(p)
    say(type(output).__name__, output.batch_sizes, output.sorted_indices, output.unsorted_indices)
    state = state if isinstance(state, tuple) else (state,)
    padded, lengths = U.pad_packed_sequence(output, batch_first=True, padding_value=-1.0, total_length=6)
    say(lengths)
    x.grad = None
    both([padded, output.data, *state], x, *m.parameters())
    hx = tuple(torch.rand_like(one) for one in state)
    output, state = m(p, hx if kind is nn.LSTM else hx[0])
    near(output.data, *(state if isinstance(state, tuple) else (state,)))
""",
    "sequences": """
U = nn.utils.rnn
x = torch.arange(30.0).view(5, 3, 2)
for args in (([5, 3, 1],), ([6, 3, 1],), ([4, 3, 1],), ([5.5, 3, 1],), (torch.tensor([5.0, 3, 1]),),
             ([3, 5, 1], False, False)):
    p = U.pack_padded_sequence(x, *args)
    say(p, repr(p))
for args in (([3, 5, 1],), ([5, 3, 0],), ([5, 3],), ([],), (torch.tensor([[5, 3, 1]]),), ([5, 3, -1],), (3,)):
    fails(lambda: U.pack_padded_sequence(x, *args))
fails(lambda: U.pack_padded_sequence(torch.ones(5), [5]))
fails(lambda: U.pack_padded_sequence(torch.ones(()), [5]))
fails(lambda: U.pack_padded_sequence(torch.ones(0, 3, 3), [0, 0, 0]))
fails(lambda: U.pack_padded_sequence(3, [1]))
p = U.pack_padded_sequence(x.transpose(0, 1), [5, 3, 1], batch_first=True)
q = U.pack_padded_sequence(x, [3, 5, 1], enforce_sorted=False)
say(p, q, q.double(), q.to(torch.float32) is q, q.cpu() is q, q.long().data, q.half(), q.int(), q.short(), q.char(),
    q.byte(), q.float() is q, q.is_cuda, U.PackedSequence, q._fields, isinstance(q, tuple),
    U.PackedSequence.__mro__[1:3])
say(*U.pad_packed_sequence(q), *U.pad_packed_sequence(q, True, -1.5, 7), U.unpack_sequence(q), copy.deepcopy(q))
say(pickle.loads(pickle.dumps(q)), U.PackedSequence((x, p.batch_sizes)),
    U.PackedSequence(x, p.batch_sizes, torch.tensor([1, 2, 0])))
fails(lambda: U.pad_packed_sequence(q, total_length=3))
fails(lambda: U.pad_packed_sequence(3))
fails(lambda: U.pad_packed_sequence(q, padding_value="a"))
fails(lambda: U.pad_packed_sequence(U.PackedSequence(torch.ones(3), torch.tensor([2, 2]))))
fails(lambda: U.pad_packed_sequence(U.PackedSequence(torch.ones(3), torch.tensor([1, 2]))))
fails(lambda: U.pad_packed_sequence(U.PackedSequence(torch.ones(3), torch.tensor([2.0, 1]))))
fails(lambda: U.PackedSequence(3))
fails(lambda: U.PackedSequence(x, p.batch_sizes.to("meta")))
a, b, c = torch.arange(3), torch.arange(2), torch.arange(4)
for more in ({}, {"batch_first": True}, {"padding_value": 7}, {"padding_value": 2.5, "padding_side": "left"}):
    say(U.pad_sequence([a, b, c], **more), U.pad_sequence((a.float(), b.double(), c), **more))
say(U.pad_sequence(one for one in (a, b)), U.pad_sequence(x), U.pad_sequence([x, x[:2]], True))
for wrong in (([],), (3,), ([a, 3],), ([a], 1), ([a], "a"), ([a], True, "a"), ([a], True, 0, "x"), ([a], True, 0, 3),
              ([torch.tensor(1)],), ([torch.ones(2, 3), torch.ones(1, 4)],), ([torch.ones(2, 3), torch.ones(3)],)):
    fails(lambda: U.pad_sequence(*wrong))
say(U.pack_sequence([c, a, b]), U.pack_sequence([a, b, c], enforce_sorted=False),
    U.unpack_sequence(U.pack_sequence([c, a])))
fails(lambda: U.pack_sequence([b, c]))
fails(lambda: U.pack_sequence([]))
t = torch.arange(6).view(3, 2)
say(U.unpad_sequence(t, torch.tensor([2, 1])), t.shape, U.unpad_sequence(t, torch.tensor([1, 2]), True))
say(U.invert_permutation(torch.tensor([2, 0, 1])), U.invert_permutation(None))
y = torch.rand(4, 2, requires_grad=True)
near(U.pad_sequence([y, y[:2]]), U.pack_sequence([y, y[:2]]).data,
     U.pack_padded_sequence(x.mul(2).requires_grad_(), [5, 3, 1]).data)
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_recurrent_networks_are_pytorchs(name: str) -> None:
    assert not differing(PROGRAMS[name])
