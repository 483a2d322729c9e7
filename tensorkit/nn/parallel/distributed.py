"""`DistributedDataParallel`, in a group of one process.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensorkit import distributed
from tensorkit.nn.module import Module


class DistributedDataParallel(Module):
    """A module whose gradients are the mean over all processes: in a group of one, those that it has.

    Args:
        module: what is computed; its state is saved under names that begin with ``module.``.
        device_ids, output_device, dim, broadcast_buffers, init_sync, process_group, bucket_cap_mb,
            find_unused_parameters, check_reduction, gradient_as_bucket_view, static_graph, and what follows: how
            PyTorch shares the work; without effect.

    Shape: what the module takes, and gives.

    Raises:
        ValueError: before `init_process_group`.
        RuntimeError: when no parameter needs a gradient.

    >>> tk.distributed.init_process_group("gloo", "tcp://localhost:29500", world_size=1, rank=0)
    >>> model = tk.nn.Sequential()
    >>> model.register_parameter("weight", tk.nn.Parameter(tk.ones(1)))
    >>> list(DistributedDataParallel(model).state_dict())
    ['module.weight']
    >>> tk.distributed.destroy_process_group()

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: Any = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        **options: Any,
    ) -> None:
        super().__init__()
        distributed.get_rank(process_group)
        if not any(p.requires_grad for p in module.parameters()):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
                "gradient."
            )
        self.module = module
        self.process_group = process_group or distributed.group.WORLD
        self.device_ids = device_ids
        self.output_device = output_device
        self.dim = dim
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.require_backward_grad_sync = True

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the module gives."""
        return self.module(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """A context manager in which gradients are added up without asking other processes."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before
