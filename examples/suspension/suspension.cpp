// Red cells sink in plasma: a lattice Boltzmann fluid, ellipsoids that it carries and that push it.
// Lattice units: the distance of nodes, a step, the density of the fluid.
#include <cstdio>
#include <goban/goban.hpp>
#include <goban/particle/bodies.hpp>
#include <goban/particle/packing.hpp>

constexpr int c[19][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                          {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                          {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                          {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};
constexpr double weight(int q) { return q == 0 ? 1.0 / 3 : q < 7 ? 1.0 / 18 : 1.0 / 36; }

/// D3Q19 with one relaxation time; the force of bodies and a drive by Guo's scheme (2002).
struct StreamCollide {
  double omega, drive_z;
  GOBAN_FUNCTION void operator()(auto f, auto force, auto next, auto velocity) const {
    decltype(f[0]()) g[19], rho(0), u[3] = {0, 0, 0}, F[3] = {force[0](), force[1](), force[2]()};
    F[2] = F[2] + drive_z;
    for (int q = 0; q < 19; ++q) {
      g[q] = f[q](-c[q][0], -c[q][1], -c[q][2]);
      rho = rho + g[q];
      for (int a = 0; a < 3; ++a) u[a] = u[a] + c[q][a] * g[q];
    }
    for (int a = 0; a < 3; ++a) velocity[a] = u[a] = (u[a] + 0.5 * F[a]) / rho;
    const auto uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    const auto uF = u[0] * F[0] + u[1] * F[1] + u[2] * F[2];
    for (int q = 0; q < 19; ++q) {
      const auto cu = c[q][0] * u[0] + c[q][1] * u[1] + c[q][2] * u[2];
      const auto cF = c[q][0] * F[0] + c[q][1] * F[1] + c[q][2] * F[2];
      const auto rest = weight(q) * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * uu);
      const auto push = weight(q) * (3 * cF - 3 * uF + 9 * cu * cF);
      next[q] = g[q] - omega * (g[q] - rest) + (1 - omega / 2) * push;
    }
  }
};

int main(int argc, char** argv) {
  goban::Runtime runtime(argc, argv);
  goban::Grid grid(runtime, {.cells = {24, 24, 32}, .boundary = goban::periodic});
  goban::Field<double, 19> f(grid, "f"), next(grid, "next");
  goban::Field<double, 3> velocity(grid, "velocity"), force(grid, "force");
  f.fill([](goban::Index3, int q) { return weight(q); });

  const double viscosity = 1.0 / 6, gravity = 2e-4;
  const goban::BodyShape red_cell =
      goban::in_fluid({.semi_axes = {3, 3, 1.5}, .density = 1.5}, viscosity);
  goban::Bodies cells(
      grid, {.shapes = {red_cell}, .repulsion = {.strength = 1e-4}, .gravity = {0, 0, -gravity}});
  cells.place(packed(grid, red_cell, {.hematocrit = 0.15}));
  const double weight_of_one = (red_cell.density - 1) * red_cell.volume() * gravity;
  const double volume = 24 * 24 * 32;

  goban::Program step("suspension");
  const double drive = weight_of_one * static_cast<double>(cells.count()) / volume;
  step.apply(StreamCollide{1 / (0.5 + 3 * viscosity), drive}, in(f), in(force), out(next),
             out(velocity));
  cells.couple(step, velocity, force);
  step.swap(f, next);

  goban::Simulation simulation(grid, step, {.steps = 200});
  simulation.add(cells.output(every(100)));
  simulation.series("cells", cells.columns(), every(20));
  simulation.run();

  const double mass = red_cell.mass() * static_cast<double>(cells.count());
  const double sinking = velocity.sum(2) / volume - cells.momentum()[2] / mass;
  const double alone = weight_of_one / (6 * 3.14159 * viscosity * std::cbrt(3 * 3 * 1.5));
  std::printf("hematocrit %.3f: %.2f of the speed of one cell alone\n", cells.hematocrit(),
              sinking / alone);
  return sinking > 0.2 * alone && sinking < 0.9 * alone ? 0 : 1;
}
