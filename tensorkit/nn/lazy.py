"""`LazyModuleMixin`: modules whose first input tells how large their parameters are.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.lazy.LazyModuleMixin.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from tensorkit.autograd.grad_mode import no_grad
from tensorkit.nn.parameter import is_lazy

if TYPE_CHECKING:
    from tensorkit.nn.module import Module as Base
else:
    Base = object

__all__ = ["LazyModuleMixin"]


def __dir__() -> list[str]:
    return __all__


class LazyModuleMixin(Base):
    """Makes a module lazy: it comes before the module's class among the bases.

    The parameters begin as `UninitializedParameter`; the first call runs `initialize_parameters` with its arguments,
    and the module becomes one of the class `cls_to_become`, if there is one.

    Args:
        args, kwargs: of the module.

    >>> layer = tk.nn.LazyLinear(3)
    >>> layer(tk.ones(2, 5)).shape, layer
    (tensorkit.Size([2, 3]), Linear(in_features=5, out_features=3, bias=True))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.lazy.LazyModuleMixin.html
    """

    cls_to_become: type[Any] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """As other modules do, but what has no size yet is written as it is."""
        kept = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        for name, value in (*self._parameters.items(), *kept.items()):
            if value is not None:
                destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *others: Any) -> None:
        """Parameters get the size of those that are loaded into them."""
        for name, value in (*self._parameters.items(), *self._buffers.items()):
            loaded = state_dict.get(prefix + name)
            if value is not None and loaded is not None and is_lazy(value) and not is_lazy(loaded):
                with no_grad():
                    value.materialize(loaded.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their sizes, by the arguments of the first call: a lazy class must say how."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer has no size yet."""
        return any(is_lazy(value) for value in (*self._parameters.values(), *self._buffers.values()))

    def _infer_parameters(self, module: Any, args: Any, kwargs: Any = None) -> None:
        """What happens before the first call."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self) -> NoReturn:
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy forward pass to "
            "correctly initialize the modules"
        )
