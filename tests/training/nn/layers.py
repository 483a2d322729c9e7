"""Layers that the programs define for themselves: what is tested here does not depend on the kit's own."""

from __future__ import annotations

LAYERS = """
class Linear(nn.Module):
    def __init__(self, inputs, outputs, bias=True):
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        self.weight = nn.Parameter(torch.arange(1.0, inputs * outputs + 1).view(outputs, inputs))
        if bias:
            self.bias = nn.Parameter(torch.ones(outputs))
        else:
            self.register_parameter("bias", None)
    def forward(self, x, scale=1):
        y = x @ self.weight.t() * scale
        return y if self.bias is None else y + self.bias
    def extra_repr(self):
        return f"inputs={self.inputs}, outputs={self.outputs}, bias={self.bias is not None}"

class Norm(nn.Module):
    _version = 2
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("count", torch.tensor(0))
        self.register_buffer("scratch", torch.zeros(size), persistent=False)
        self.register_buffer("missing", None)
    def forward(self, x):
        return (x - self.mean) * self.weight

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Linear(2, 3)
        self.norm = Norm(3)
        self.rest = nn.Sequential(Linear(3, 3, bias=False), nn.Sequential(nn.Flatten(), nn.Identity()))
        self.tied = self.first
        self.nothing = None
    def forward(self, x):
        return self.rest(self.norm(self.first(x)))
"""
