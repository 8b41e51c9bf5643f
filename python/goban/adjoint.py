"""Gradients of what a program computes, by its adjoint."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from goban import _library
from goban._arguments import checked
from goban._functors import Functor
from goban._library import Handle
from goban.errors import refuse
from goban.field import Field
from goban.parameter import Parameter
from goban.program import Program
from goban.samples import ObjectiveOfTraces

Array = np.ndarray[Any, Any]


def _sum_of(objective):
    sums = Program("objective")
    objective.require_stored()
    objective.assign_returned()
    sums._sweep("sum", [objective], into=Parameter("objective"))
    return sums


class Adjoint(Handle):
    """How a number changes with what a program started from. `objective` is a stage whose functor
    returns what is summed over the cells when the steps are done, or a function of the traces that
    the step records, Receivers.objective; `with_respect_to` lists fields and Parameters. goban
    makes the adjoint of the step of its record; what has no derivative is refused, see
    docs/gradients.md. `dt` is that of an Engine.

    >>> def grow(u, next, r):
    ...     next[...] = u() + r * u() * u(1, 0)
    >>> step, r = goban.Program("step"), goban.Parameter("r", 0.5)
    >>> stage = step.apply(grow, u.fill(1), next, r=r)
    >>> adjoint = goban.Adjoint(step.swap(u, next), goban.stage(lambda u: u(), u), [u, r])
    >>> value, (of_u, of_r) = adjoint.value_and_gradient(1)
    >>> value, float(of_u[3, 4]), of_r
    (384.0, 2.0, 256.0)
    """

    @checked
    def __init__(self, step: Program, objective: Union[Functor, ObjectiveOfTraces],
                 with_respect_to: Sequence[Union[Field, Parameter]],
                 dt: Union[float, Parameter] = 1.0) -> None:
        self._asked = list(with_respect_to)
        fields = [one for one in self._asked if isinstance(one, Field)]
        parameters = [one for one in self._asked if isinstance(one, Parameter)]
        if len(fields) + len(parameters) < len(self._asked):
            refuse("a gradient is refused", "it is with respect to fields and Parameters")
        self._dt = dt
        asked = [fields, len(fields), parameters, len(parameters)]
        kept = [step, objective, dt, *self._asked]
        if isinstance(objective, ObjectiveOfTraces):
            function = _library.samples_function(objective.value_of)
            super().__init__("adjoint", "adjoint_of_samples", step.handle(), objective.samples,
                             function, *asked, others=[*kept, function])
        else:
            sums = _sum_of(objective)
            super().__init__("adjoint", "adjoint", step.handle(), sums.handle(), *asked,
                             others=[*kept, sums])
        self._gradients = {id(one): self._field(one) for one in fields}

    def _field(self, of):
        made = Field.__new__(Field)
        for what in ("grid", "components", "location", "layout", "in_place"):
            setattr(made, what, getattr(of, what))
        made.name = f"gradient of {of.name}"
        made.type = "float32" if of.type == "float16" else of.type
        Handle.__init__(made, "field", "adjoint_field", self, of, others=[of.grid])
        return made

    @checked
    def value_and_gradient(self, steps: int, states: int = 16, memory: Optional[float] = None,
                           folder: Union[str, os.PathLike[str], None] = None,
                           ) -> tuple[float, list[Union[float, Array]]]:
        """Runs so many steps from what fields and parameters hold, and back: the value of the
        objective, and its derivatives, arrays with the shape of the fields, numbers of Parameters.
        Fields hold afterwards what they held before, except those that the step overwrites before
        it reads them. At most `states` states are kept, in at most `memory` bytes of a process
        (None: what is free) and, where that is not enough, in files of `folder`, which all
        processes see; steps are computed again where that is not all of them. What has been
        computed on the way back is saved in the folder every ten minutes: after the end of its
        process, the same call goes on there. Errors: GobanError with exit code 3 where there is no
        room for a state, 4 where a file cannot be written.

        >>> def mean(u, next):
        ...     next[...] = (u(1, 0) + u(-1, 0)) / 2
        >>> step = goban.Program("step")
        >>> stage = step.apply(mean, u.fill(3), next)
        >>> adjoint = goban.Adjoint(step.swap(u, next), goban.stage(lambda u: u() * u(), u), [u])
        >>> value, gradients = adjoint.value_and_gradient(steps=10)
        >>> value, float(gradients[0][0, 0])
        (2304.0, 6.0)
        """
        if memory is not None and not memory > 0:
            refuse(f"memory={memory} is refused", "states need some", "give bytes, or leave it out")
        value = _library.number_of(ctypes.c_double, "adjoint_evaluate", self, steps, states,
                                   memory or 0.0, os.fspath(folder or ""), *self._time_step())
        return value, [self._gradient(one) for one in self._asked]

    def _time_step(self):
        return (0.0, self._dt) if isinstance(self._dt, Parameter) else (self._dt, None)

    def _look_ahead(self, steps, look):
        """Calls the function when so many steps are done; fields hold then again what they held."""
        _library.call("adjoint_look_ahead", self, steps, *self._time_step(), _library.action(look))

    def _gradient(self, of):
        if isinstance(of, Field):
            return self._gradients[id(of)].numpy()
        return _library.number_of(ctypes.c_double, "adjoint_number", self, of)

    @property
    def steps_computed(self) -> int:
        """Steps that the last call computed forwards, those computed again included."""
        return _library.number_of(ctypes.c_int64, "adjoint_steps_computed", self)
