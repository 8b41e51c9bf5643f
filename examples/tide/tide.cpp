// The tide in a basin that is open to the sea in the west: shallow water, small waves. Velocities
// lie on faces, the level in cells, the sea's level follows the clock, the time step the fastest
// wave. Depths come from a NumPy file, if one is named: tide depth.npy, 256 x 8 values in metres.
#include <cstdio>
#include <goban/goban.hpp>
#include <numbers>

struct Push {  // du/dt = -g d(level)/dx, on faces
  double g_per_dx;
  GOBAN_FUNCTION void operator()(auto level, auto dt, auto u) const {
    u += -(dt() * g_per_dx) * goban::d<goban::Axis::x, 2, goban::Onto::face>(level);
  }
};
struct Gather {  // d(level)/dt = -d(depth u)/dx, in cells
  double half_per_dx;
  GOBAN_FUNCTION void operator()(auto depth, auto u, auto dt, auto level) const {
    const auto east = (depth() + depth(1, 0, 0)) * u(1, 0, 0);
    const auto west = (depth(-1, 0, 0) + depth()) * u();
    level += -(dt() * half_per_dx) * (east - west);
  }
};
struct Speed {
  double g;
  GOBAN_FUNCTION auto operator()(auto depth, auto level) const {
    return sqrt(g * (depth() + level()));
  }
};

int main(int argc, char** argv) {
  constexpr double g = 9.81, length = 100e3, dx = length / 256, deep = 20, rise = 0.5;
  const double k = 1 / length, omega = k * std::sqrt(g * deep);
  goban::Runtime runtime(argc, argv);
  goban::Grid grid(runtime, {.cells = {256, 8, 1},
                             .spacing = dx,
                             .boundary = {goban::mirror, goban::mirror, goban::periodic}});
  goban::Field<double> level(grid, "level"), depth(grid, "depth");
  goban::Field<double> u(grid, "u", {goban::Location::face_x});
  level.boundary(goban::Axis::x, goban::Side::low,
                 goban::wall_value([=](double time) { return rise * std::cos(omega * time); }));
  u.boundary(goban::Axis::x, goban::Side::high, goban::wall_value(0));
  if (argc > 1) {
    fill_from(depth, goban::open_image(argv[1], {.extents = grid.cells()}));
  } else {
    depth.fill(deep);
  }
  // The standing wave in a basin as deep everywhere.
  const auto wave = [=](double x, double time) {
    return rise * std::cos(k * (length - x)) / std::cos(k * length) * std::cos(omega * time);
  };
  level.fill([&](goban::Position p) { return wave(p.x, 0); });
  u.fill(0);

  const goban::Parameter<double> fastest("fastest"), dt("dt");
  goban::Program step("tide");
  step.reduce(Speed{g}, in(depth), in(level), goban::maximum, into(fastest));
  step.compute([=](double speed, double& chosen) { chosen = 0.5 * dx / speed; }, in(fastest),
               out(dt));
  step.apply(Push{g / dx}, in(level), param(dt), inout(u));
  step.apply(Gather{0.5 / dx}, in(depth), in(u), param(dt), inout(level));
  goban::Simulation simulation(grid, step, {.end = 2 * 2 * std::numbers::pi / omega, .dt = dt});
  simulation.series("gauge", {maximum_of(level), dt}, goban::every(50));
  simulation.run();

  const double time = simulation.report().time, x = 200.5 * dx;
  const double is = level.get({200, 3, 0}), should = wave(x, time);
  std::printf("after %.0f s: %.4f m, in an even basin %.4f m\n", time, is, should);
  return argc > 1 || std::abs(is - should) < 0.02 * rise ? 0 : 1;
}
