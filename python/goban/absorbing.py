"""Layers along the sides of a grid in which waves die out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Tuple, Union

from goban._arguments import checked
from goban._functors import site as place_of_cell
from goban.errors import one_of, refuse
from goban.field import AXES, SIDES, Field
from goban.functions import convert, d, max
from goban.grid import Grid

if TYPE_CHECKING:
    from goban.program import Program

Side = Tuple[str, str]


class _Layers:
    """Layers of `width` cells along sides, [("x", "low"), ...]: all that are not periodic if none
    are named.
    """

    def __init__(self, grid, width, sides):
        if width < 1:
            refuse(f"layers of {width} cells are refused", "they have at least one")
        self.grid, self.width = grid, width
        self.sides = grid.edges if sides is None else sides
        for axis, side in self.sides:
            one_of("axis", axis, tuple(AXES)[:grid.dimensions])
            one_of("side", side, tuple(SIDES))
            if 2 * width > grid.cells[AXES[axis]]:
                refuse(f"layers of {width} cells are refused",
                       f"there are {grid.cells[AXES[axis]]} along {axis}")

    def _apply(self, program, functor, fields, axis, side, **numbers):
        """A stage in the layer of a side, which takes depth(place): 0 ... 1 from inside to outside
        at the middle of cells (1/2) or on faces (0) along the axis."""
        a, count = AXES[axis], self.grid.dimensions
        edge = self.width if side == "low" else self.grid.cells[a] - self.width
        outwards = (-1 if side == "low" else 1) / self.width

        def in_layer(*arguments, edge, outwards, **numbers):
            *accessors, site = arguments
            index = convert(site.index(axis), fields[0].dtype)

            def depth(place):
                return max((index + (place - edge)) * outwards, 0.0)
            functor(depth, *accessors, **numbers)
        lower, upper = [0] * count, [n + ((other, "high") in self.grid.edges)  # and faces there
                                     for other, n in zip(AXES, self.grid.cells[:count])]
        if side == "low":
            upper[a] = self.width
        else:
            lower[a] = edge
        stage = program.apply(in_layer, *fields, place_of_cell, edge=float(edge), outwards=outwards,
                              **numbers)
        stage.over(lower, upper).named(f"{functor.__name__} {side} {axis}")


class Sponge(_Layers):
    """Damping layers (Cerjan et al., Geophysics 50, 1985, 705): add_damping() appends that fields
    are multiplied by exp(-(strength depth)^2) in every step, depth in cells from where a layer of
    `width` cells begins. `sides`: [("x", "low"), ...], those of all axes that are not periodic if
    not given.

    >>> pond = goban.Grid((64, 64), boundary=goban.mirror)
    >>> p, before = pond.field("p"), pond.field("before")
    >>> program = goban.Sponge(pond, width=20).add_damping(goban.Program("waves"), p, before)
    """

    @checked
    def __init__(self, grid: Grid, width: int = 20, strength: float = 0.015,
                 sides: Optional[Sequence[Side]] = None) -> None:
        super().__init__(grid, width, sides)
        self.strength = strength

    @checked
    def add_damping(self, program: Program, *fields: Field) -> Program:
        """Appends the damping of these fields, all components of them.

        >>> wall = goban.Grid((64, 64), boundary=goban.mirror)
        >>> program = goban.Sponge(wall).add_damping(goban.Program("w"), wall.field("w"))
        """
        for field in fields:
            for axis, side in self.sides:
                place = 0.0 if field.is_staggered(axis) else 0.5

                def damp(depth, u, strength, place=place):
                    q = (strength * depth(place))**2
                    for c in range(len(u)):
                        u[c] *= 1 - q + q * q / 2
                self._apply(program, damp, [field], axis, side, strength=self.strength * self.width)
        return program


class Pml(_Layers):
    """Convolutional perfectly matched layers (Roden and Gedney 2000; Komatitsch and Martin,
    Geophysics 72, 2007, SM155) for waves in systems of first order: in them every derivative along
    the axis of the side becomes d u + psi, dpsi/dt = -(d + alpha) psi - d du. add_derivative()
    appends what psi adds, behind the sweep that has added the derivative itself.

    `speed`: of the fastest wave; `dt`: the time step; `reflection`: of a wave that goes straight in
    and back, by theory; `frequency`: below it grazing waves are absorbed less. `sides`: as of
    Sponge.

    >>> room = goban.Grid((64, 64), spacing=0.1, boundary=goban.constant(0))
    >>> p, v = room.field("p"), room.field("v", location="face_x")
    >>> def push(p, v, r):
    ...     v[...] -= r * goban.d(p, "x", onto="face")
    >>> program, r = goban.Program("waves"), 0.5
    >>> stage = program.apply(push, p, v, r=r)
    >>> layers = goban.Pml(room, speed=1, dt=0.05, frequency=0.5)
    >>> program = layers.add_derivative(program, p, "x", into=v, scale=-r)
    """

    @checked
    def __init__(self, grid: Grid, speed: float, dt: float, frequency: float, width: int = 10,
                 reflection: float = 1e-4, sides: Optional[Sequence[Side]] = None) -> None:
        super().__init__(grid, width, sides)
        if not 0 < reflection < 1:
            refuse(f"reflection={reflection} is refused", "it lies between 0 and 1")
        self.speed, self.dt, self.reflection = speed, dt, reflection
        self._shift = math.pi * frequency * dt / 2

    @checked
    def add_derivative(self, program: Program, u: Field, axis: str, into: Field,
                       scale: Union[float, Field] = 1.0, order: int = 2) -> Program:
        """Appends that in the layers across `axis` the field `into` gets scale times what they add
        to the derivative of u along it, on unit spacing, where `into` lies: goban.d of that order.
        `scale`: a number, or a field that lies there. It declares a memory of it.

        >>> tube = goban.Grid(64, boundary=goban.constant(0))
        >>> p, v = tube.field("p"), tube.field("v", location="face_x")
        >>> layers = goban.Pml(tube, speed=1, dt=0.5, frequency=0.01)
        >>> program = layers.add_derivative(goban.Program("w"), v, "x", into=p, scale=-0.5)
        """
        one_of("axis", axis, tuple(AXES)[:self.grid.dimensions])
        if u.components > 1 or into.components > 1:
            refuse(f"the derivative of '{u.name}' into '{into.name}' is refused",
                   "each has one component")
        is_on_face = into.is_staggered(axis)
        onto = "same" if u.is_staggered(axis) == is_on_face else "face" if is_on_face else "center"
        place = 0.0 if is_on_face else 0.5
        sides = [side for along, side in self.sides if along == axis]
        memory = into.like(f"{into.name}_memory_{u.name}_{axis}") if sides else None
        by_field = [scale] if isinstance(scale, Field) else []
        a = AXES[axis]
        damping = -3 * self.speed * math.log(self.reflection) / (
            2 * self.width * self.grid.spacing[a]) * self.dt / 2

        def match(depth, memory, into, u, *scales, damping, shift, scale=1.0):
            s = depth(place)
            alpha, damping = shift * (1 - s), damping * (s * s)
            psi = ((1 - damping - alpha) * memory() - 2 * damping * d(u, axis, order, onto)) / (
                1 + damping + alpha)
            memory[...] = psi
            into[...] += (scales[0]() if scales else scale) * psi
        numbers = {} if by_field else {"scale": scale}
        for side in sides:
            self._apply(program, match, [memory, into, u, *by_field], axis, side, damping=damping,
                        shift=self._shift, **numbers)
        return program
