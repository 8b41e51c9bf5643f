"""When something happens in a run."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Callable, Optional, TypedDict, TypeVar, Union

from goban._arguments import checked
from goban.errors import Error

Method = TypeVar("Method", bound=Callable[..., Any])


@checked
def schedule(every: Optional[int] = None, every_time: Optional[float] = None,
             seconds: Optional[float] = None, minutes: Optional[float] = None,
             hours: Optional[float] = None,
             at: Union[int, float, Sequence[Union[int, float]], None] = None, at_end: bool = False,
             automatically: bool = False) -> dict[str, Any]:
    """When something happens, by any of these together: `every` so many steps, `every_time` of
    simulated time, `seconds`, `minutes` or `hours` of wall time, `at` steps (whole numbers) or
    simulated times, `at_end`; checkpoints `automatically`.
    """
    when = {}
    if every is not None:
        when["every"] = every
    if every_time is not None:
        when["every_time"] = every_time
    wall = [n * unit for n, unit in ((seconds, 1), (minutes, 60), (hours, 3600)) if n is not None]
    if wall:
        when["seconds"] = float(min(wall))
    if at is not None:
        moments = at if isinstance(at, list) else [at]
        if all(isinstance(moment, int) for moment in moments):
            when["at_steps"] = moments
        else:
            when["at_times"] = list(map(float, moments))
    if at_end:
        when["at_end"] = True
    if automatically:
        when["automatically"] = True
    if not when:
        raise Error("something of a simulation never happens", "it has no schedule",
                    "write every=100, every_time=0.1, minutes=5, at=[1, 10] or at_end=True")
    return when


class When(TypedDict, total=False):
    """What schedule() takes, for calls that take the same by name: output([u], every=100)."""

    every: Optional[int]
    every_time: Optional[float]
    seconds: Optional[float]
    minutes: Optional[float]
    hours: Optional[float]
    at: Union[int, float, Sequence[Union[int, float]], None]
    at_end: bool
    automatically: bool


def scheduled(method: Method) -> Method:
    """Its signature names what schedule() takes, for help() and for completion while one types."""
    signature = inspect.signature(method)
    parameters = [one for one in signature.parameters.values() if one.name != "when"]
    parameters += [one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
                   for one in inspect.signature(schedule).parameters.values()]
    method.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return method
