"""The residual of V cycles over time, as in figure 11 of Jacobsen and Senocak: cycles that go down to
the coarsest grid, and truncated ones, whose last grid is a quarter and a half of the first along an
edge and swept until its error is a fiftieth. usage: goban python truncated_multigrid.py [CELLS]"""
import sys
import time

import numpy as np

import goban

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 256
for levels in (32, 3, 2):
    grid = goban.Grid(cells=(cells, cells, cells), spacing=1 / cells)
    u, f = grid.field("u"), grid.field("f")
    f.fill(lambda x, y, z: np.cos(np.pi * x) * np.cos(np.pi * y) * np.cos(np.pi * z))
    multigrid = goban.Multigrid(u, f, smoother="jacobi", most_levels=levels)
    goban.Engine(multigrid.add_setup(goban.Program("setup"))).run(1)
    engine = goban.Engine(multigrid.add_residual(multigrid.add_cycle(goban.Program("cycle"))))
    engine.run(1)  # kernels are compiled
    u.fill(0)
    start = time.perf_counter()
    for cycle in range(1, 13):
        engine.run(1)
        print(f"{levels:>2} grids at most, cycle {cycle:>2}, {time.perf_counter() - start:8.3f} s, "
              f"residual {multigrid.residual.value:.3e}")
