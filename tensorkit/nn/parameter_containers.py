"""Modules that hold parameters: in a list, in a dictionary.

Source: https://docs.pytorch.org/docs/stable/nn.html#containers
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from tensorkit.nn.containers import Numbered, pairs
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Parameter
from tensorkit.ops.tensor.queries import typename
from tensorkit.tensor import Tensor


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _line(name: Any, value: Any, kind: str) -> str:
    """One value of a list or dictionary of parameters, as it is printed."""
    if not isinstance(value, Tensor):
        return f"  ({name}): Object of type: {type(value).__name__}"
    word = "Parameter" if isinstance(value, Parameter) else "Tensor"
    place = f" ({value.device})" if value.is_cuda else ""
    return f"  ({name}): {word} containing: [{kind} of size {'x'.join(map(str, value.size()))}{place}]"


class ParameterList(Numbered):
    """Parameters in a list. Tensors become parameters; anything else can be in it too.

    Args:
        values: what is in it.

    >>> tk.nn.ParameterList([tk.zeros(2, 3), tk.zeros(3)])
    ParameterList(
        (0): Parameter containing: [tensorkit.float32 of size 2x3]
        (1): Parameter containing: [tensorkit.float32 of size 3]
    )
    """

    _size: int

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __getitem__(self, idx: Any) -> Any:
        if not isinstance(idx, slice):
            return getattr(self, self._name_at(idx))
        return type(self)().extend([self[place] for place in range(*idx.indices(len(self)))])

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, self._name_at(idx), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[place] for place in range(len(self)))

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def append(self, value: Any) -> Self:
        """Add a value at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add values at the end.

        Raises:
            TypeError: for anything that is not iterable, and for a tensor.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}"
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """A line for each value."""
        return "\n".join(
            _line(place, value, str(getattr(value, "dtype", ""))) for place, value in enumerate(self)
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters in a dictionary, which keeps their order. Tensors become parameters; anything else can be in it too.

    Args:
        parameters: a mapping, or pairs of a name and a value; a plain ``dict`` is taken in the order of its names.

    >>> tk.nn.ParameterDict({"left": tk.zeros(2)})["left"]
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """

    _keys: dict[str, None]

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, self._key_to_attr(key), _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Another dictionary of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of a name; where there is none yet, it is `default` from now on."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Take all values out."""
        for key in list(self):
            del self[key]

    def pop(self, key: str) -> Any:
        """Take out the value of a name and return it."""
        taken = self[key]
        del self[key]
        return taken

    def popitem(self) -> tuple[str, Any]:
        """Take out the value that was added last and return it with its name."""
        if not self._keys:
            self._keys.popitem()  # says that there is none
        key = next(reversed(self))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a name, or `default`."""
        return self[key] if key in self._keys else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Another dictionary, of these names, all with the value `default`."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> Any:
        """The names."""
        return self._keys.keys()

    def items(self) -> Any:
        """The names with the values."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Any:
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add the values of a mapping, or pairs of a name and a value.

        Raises:
            TypeError: for anything that is not iterable. ValueError: for anything but pairs.
        """
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(parameters).__name__}"
            )
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            parameters = parameters.items()
        elif isinstance(parameters, Mapping):
            parameters = sorted(parameters.items())
        else:
            parameters = pairs("ParameterDict", parameters)
        for key, value in parameters:
            self[key] = value

    def extra_repr(self) -> str:
        """A line for each value."""
        return "\n".join(_line(key, value, typename(value)) for key, value in self.items())

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: Any) -> ParameterDict:
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        made = other.copy()
        made.update(self)
        return made

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self
