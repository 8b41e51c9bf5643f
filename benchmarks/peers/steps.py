"""The steps that peers compute: of each what it is, the edge of its cube of cells, its initial values."""

from dataclasses import dataclass
from typing import Callable

import numpy as np

D3Q19 = [(x, y, z) for z in (-1, 0, 1) for y in (-1, 0, 1) for x in (-1, 0, 1) if abs(x) + abs(y) + abs(z) < 3]


@dataclass
class Step:
    what: str
    edge: int
    initial: Callable  # edge -> arrays of float32 with axes (z, y, x)
    is_start: bool = False  # whether a second process is measured, too
    on_cpu: bool = True  # whether it is measured there unasked


def uneven(edge, seed, low=0.0, high=1.0):
    """Values from low to high that no turn and no shift of the cube repeats, made in little time."""
    random = np.random.default_rng(seed)
    x, y, z = (random.random(edge, dtype=np.float32) for _ in range(3))
    values = y[:, None] * x + z[:, None, None]
    values *= np.float32((high - low) / 2)
    values += np.float32(low)
    return values


def waves(edge):
    """Pressure, that of one step before, (c dt / h)^2."""
    at_rest = uneven(edge, 1)
    return at_rest, at_rest, uneven(edge, 2, 0.05, 0.15)


def populations(edge):
    """19 of a fluid nearly at rest."""
    weight = {0: 1 / 3, 1: 1 / 18, 2: 1 / 36}
    density = uneven(edge, 1, 0.98, 1.02)
    f = np.empty((19, edge, edge, edge), np.float32)
    for n, velocity in enumerate(D3Q19):
        np.multiply(density, np.float32(weight[sum(map(abs, velocity))] * (1 + 0.002 * n)), out=f[n])
    return (f,)


STEPS = {
    "heat7": Step("u + r (sum of 6 neighbours - 6 u), 0 outside", 512, lambda n: (uneven(n, 1),), True),
    "heat7_periodic": Step("the same, periodic", 512, lambda n: (uneven(n, 1),), on_cpu=False),
    "gray_scott": Step("two fields that react and spread, 0 outside", 256,
                       lambda n: (uneven(n, 1, 0.5, 1.0), uneven(n, 2, 0.0, 0.5)), True),
    "waves8": Step("acoustic waves of order 8 with a velocity for each cell, 0 outside", 512, waves),
    "waves8_gradient": Step("8 steps of these, and the gradient of the sum of p^2 / 2 with respect to (c dt / h)^2",
                            128, waves),
    "d3q19": Step("D3Q19 with BGK collisions, periodic", 256, populations, on_cpu=False),
}
