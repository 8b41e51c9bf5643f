"""A mixture separates and its drops grow (Cahn and Hilliard, J. Chem. Phys. 28, 1958, 258): from a
random start dc/dt = lap mu, mu = c^3 - c - kappa lap c. mu is no field: it is computed where it is
read. The mass stays, the free energy falls.
"""
import goban

DT, KAPPA = 0.02, 0.5


def mix(site, c):
    c[...] = 0.1 + 0.1 * (2 * site.random(1) - 1)


def potential(c, mu):
    mu[...] = c()**3 - c() - KAPPA * goban.laplacian(c, axes=2)


def flow(c, mu, c_next):
    c_next[...] = c() + DT * goban.laplacian(mu, axes=2)


def free_energy(c):
    slope = (c(1, 0) - c())**2 + (c(0, 1) - c())**2
    return (c()**2 - 1)**2 / 4 + KAPPA / 2 * slope


grid = goban.Grid((96, 80))
c, c_next, mu = grid.field("c"), grid.field("c_next"), goban.Intermediate(grid, "mu")
start = goban.Program("start")
start.apply(mix, goban.site, c)
goban.Engine(start).run(1)
mass = c.sum()

step, energy = goban.Program("separation"), goban.Parameter("free energy")
step.fuse(goban.stage(potential, c, mu), goban.stage(flow, c, mu, c_next))
step.swap(c, c_next)
measure = goban.Program("measure")
measure.reduce(free_energy, c, how="sum", into=energy)
simulation = goban.Simulation(grid, step, steps=5000, dt=DT).derive(measure)
simulation.series("energy", [goban.mean_of(c), energy], every=100)
simulation.picture(c, at=[0, 500, 5000]).progress().run()
print(f"mass changed by {c.sum() / mass - 1:.1e}, c from {c.minimum():.3f} to {c.maximum():.3f}")
