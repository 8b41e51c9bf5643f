// Elastic waves of order 4 for goban-gpu-rates: what a step of the application is inside.

#include "benchmarks/cuda/time_steps.hpp"
#include "goban/base/mix.hpp"
#include "seismic/stencils.hpp"

namespace goban::benchmarks {
namespace {

/// Speeds of about 1.7 and 1 at a density of about 1.
struct Rock {
  GOBAN_FUNCTION void operator()(auto where, auto density, auto lambda, auto compliance) const {
    const auto some = where.template random<float>();
    density = 1 + 0.1f * some;
    lambda = 1 + 0.2f * some;
    compliance = 1 + 0.1f * some;
  }
};
struct Shaken {
  GOBAN_FUNCTION void operator()(auto where, auto velocity) const {
    velocity = where.template random<float>() - 0.5f;
  }
};

}  // namespace

void measure_waves(const Run& run, Rate& rate) {
  Runtime runtime(run.settings());
  Grid grid(runtime, {.cells = run.cells,
                      .boundary = run.is_periodic ? BoundarySet(periodic) : constant(0)});
  Field<float, 3> normal(grid, "normal_stress");
  Field<float> vx(grid, "velocity_x"), vy(vx, "velocity_y"), vz(vx, "velocity_z");
  Field<float> xy(vx, "shear_xy"), xz(vx, "shear_xz"), yz(vx, "shear_yz");
  Field<float> density(vx, "density"), lambda(vx, "lambda"), compliance(vx, "shear_compliance");
  rate.copy_bandwidth = copy_ceiling(domain_of(*grid.state()).some_executor());

  constexpr double dt = 0.25;
  const Real3 h{1, 1, 1};
  Program step("step");
  step.apply(seismic::Accelerate<4, float>::with(dt, h), inout(vx), inout(vy), inout(vz),
             in(normal), in(xy), in(xz), in(yz), in(density));
  step.apply(seismic::Deform<4, float>::with(dt, h), inout(normal), inout(xy), inout(xz), inout(yz),
             in(vx), in(vy), in(vz), in(lambda), in(compliance));
  Engine engine(step);
  engine.prepare();

  Program fill("fill");
  fill.apply(Rock{}, site, out(density), out(lambda), out(compliance));
  for (const auto& v : {vx, vy, vz}) fill.apply(Shaken{}, site, out(v));
  constexpr double bytes = 4 * (2 * 3 + 6 + 1 + 2 * 6 + 3 + 2);
  time_steps(
      run, engine, fill, bytes,
      [&] { return mix(vz.checksum()) + mix(normal.checksum()) + xy.checksum(); }, rate);
}

}  // namespace goban::benchmarks
