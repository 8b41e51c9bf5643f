// Columns for goban-gpu-rates: systems along z whose coefficients are fields, and a step of heat
// that is implicit along z.

#include "benchmarks/cuda/time_steps.hpp"
#include "benchmarks/kernels.hpp"

namespace goban::benchmarks {
namespace {

/// Coefficients of systems whose solutions stay of size 1.
struct Coefficients {
  GOBAN_FUNCTION void operator()(auto where, auto a, auto b, auto c, auto d) const {
    a = -0.5f * where.template random<float>(0);
    b = 1.5f + where.template random<float>(1);
    c = -0.5f * where.template random<float>(2);
    d = where.template random<float>(3);
  }
};
struct Warm {
  GOBAN_FUNCTION void operator()(auto where, auto u) const { u = where.template random<float>(); }
};

BoundarySet boundary_of(const Run& run) {
  const BoundaryCondition across = run.is_periodic ? periodic : mirror;
  return {across, across, mirror};
}

}  // namespace

void measure_systems(const Run& run, Rate& rate) {
  Runtime runtime(run.settings());
  Grid grid(runtime, {.cells = run.cells, .boundary = boundary_of(run)});
  Field<float> a(grid, "a"), b(grid, "b"), c(grid, "c"), d(grid, "d"), x(grid, "x");
  Program step("solve");
  step.columns(Axis::z, Thomas{}, in(a), in(b), in(c), in(d), out(x), scratch<float, 2>);
  rate.copy_bandwidth = copy_ceiling(domain_of(*grid.state()).some_executor());
  Engine engine(step);
  engine.prepare();
  Program fill("fill");
  fill.apply(Coefficients{}, site, out(a), out(b), out(c), out(d));
  time_steps(
      run, engine, fill, 20, [&] { return x.checksum(); }, rate);
}

void measure_heat_in_columns(const Run& run, Rate& rate) {
  Runtime runtime(run.settings());
  Grid grid(runtime, {.cells = run.cells, .boundary = boundary_of(run)});
  Field<float> u(grid, "u"), next(grid, "next");
  Program step("heat");
  step.columns(Axis::z, HeatInColumns{2, 0.1f}, in(u), out(next), scratch<float, 2>);
  step.swap(u, next);
  rate.copy_bandwidth = copy_ceiling(domain_of(*grid.state()).some_executor());
  Engine engine(step);
  engine.prepare();
  Program fill("fill");
  fill.apply(Warm{}, site, out(u));
  time_steps(
      run, engine, fill, 8, [&] { return u.checksum(); }, rate);
}

}  // namespace goban::benchmarks
