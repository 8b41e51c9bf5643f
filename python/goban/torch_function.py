"""Steps of a program as a function of PyTorch, with derivatives by their adjoint."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Callable, Union

from goban._arguments import checked
from goban.adjoint import Adjoint
from goban.errors import refuse
from goban.field import Field
from goban.grid import has_other_ranks
from goban.parameter import Parameter
from goban.program import Program, stage

_numbers = itertools.count(1)


def _torch():
    try:
        import torch
    except ImportError:
        refuse("PyTorch is not here", "goban.torch_function makes a function of it",
               "pip install torch")
    return torch


def _weighted(*values):
    """The sum over all components of the first half, each times its weight in the second."""
    half = len(values) // 2
    return sum(value[c]() * weight[c]() for value, weight in zip(values[:half], values[half:])
               for c in range(len(value)))


def _set(torch, one, values):
    """Writes a tensor into a field where it lies, or into a Parameter."""
    if isinstance(one, Parameter):
        one.value = float(values)
        return
    if tuple(values.shape) != one.shape:
        refuse(f"a tensor of shape {tuple(values.shape)} is refused",
               f"field '{one.name}' has {one.shape}")
    for view in one.views(writable=True):
        box = [slice(*ends) for ends in zip(view.lower, view.upper)][:one.grid.dimensions]
        torch.from_dlpack(view).copy_(values.detach()[(..., *box)])


def _get(torch, field):
    views = [] if has_other_ranks() else field.views(writable=True)
    if len(views) == 1:
        return torch.from_dlpack(views[0]).clone()
    return torch.from_numpy(field.numpy())


@checked
def torch_function(step: Program, steps: int, with_respect_to: Sequence[Union[Field, Parameter]],
                   results: Sequence[Field], states: int = 16,
                   dt: Union[float, Parameter] = 1.0) -> Callable[..., Any]:
    """A function of PyTorch that has derivatives: it takes a tensor for each of the fields and
    Parameters `with_respect_to`, writes them there, and returns one for each of the fields
    `results`, what these hold after so many steps (a tensor alone if there is one). Shapes are
    those of the fields; tensors are on the device of the first one. Other fields hold afterwards
    what they held before. `states` and `dt` are those of an Adjoint, which is made here and once;
    what has no derivative is refused.

    >>> import torch  # doctest: +SKIP
    >>> waves = goban.torch_function(step, 100, [velocity], [p])  # doctest: +SKIP
    >>> loss = ((waves(guess) - measured)**2).sum()  # doctest: +SKIP
    >>> loss.backward()  # doctest: +SKIP
    """
    torch = _torch()
    asked, results = list(with_respect_to), list(results)
    if len({field.location for field in results}) != 1:
        refuse("these results are refused", "they lie at different places of the cells, or are none",
               "make a function for each place")
    number = next(_numbers)
    weights = [one.grid.field(f"weights of {one.name} {number}",
                              "float32" if one.type == "float16" else one.type, one.components,
                              one.location, one.layout) for one in results]
    adjoint = Adjoint(step, stage(_weighted, *results, *weights), asked, dt)

    def begin(values):
        if len(values) != len(asked):
            refuse(f"{len(values)} tensors are refused", f"there are {len(asked)} to be set")
        for one, value in zip(asked, values):
            _set(torch, one, value)

    class Steps(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *values: Any) -> Any:
            ctx.save_for_backward(*values)
            begin(values)
            made: list[Any] = []
            adjoint._look_ahead(steps, lambda: made.extend(_get(torch, one) for one in results))
            return tuple(one.to(values[0].device) for one in made)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, *factors: Any) -> Any:
            values = ctx.saved_tensors
            begin(values)
            for weight, factor in zip(weights, factors):
                _set(torch, weight, factor)
            _, gradients = adjoint.value_and_gradient(steps, states)
            return tuple(torch.as_tensor(one, dtype=value.dtype, device=value.device)
                         for one, value in zip(gradients, values))

    def function(*values: Any) -> Any:
        made = Steps.apply(*values)
        return made[0] if len(made) == 1 else made
    return function
