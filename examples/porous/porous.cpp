// Heat flows through the walls of a gyroid, a third of its box; the rest of the box takes no
// memory.
#include <cmath>
#include <cstdio>
#include <goban/goban.hpp>

struct Conduct {  // T' = T + r (sum of 6 neighbours - 6 T),  r = alpha dt / dx^2
  double r;
  GOBAN_FUNCTION void operator()(auto t, auto next) const {
    next = t() + r * (t(1, 0, 0) + t(-1, 0, 0) + t(0, 1, 0) + t(0, -1, 0) + t(0, 0, 1) +
                      t(0, 0, -1) - 6.0 * t());
  }
};

int main(int argc, char** argv) {
  using goban::Index;
  constexpr Index period = 24;
  constexpr goban::Index3 cells{2 * period, period, period};
  const auto is_solid = [](goban::Index3 i) {
    const auto wave = [](Index n) { return 2 * M_PI * (static_cast<double>(n) + 0.5) / period; };
    const double x = wave(i[0]), y = wave(i[1]), z = wave(i[2]);
    const double sheet =
        std::sin(x) * std::cos(y) + std::sin(y) * std::cos(z) + std::sin(z) * std::cos(x);
    return std::abs(sheet) < 0.5;
  };

  goban::Runtime runtime(argc, argv);
  goban::BoundarySet sides(goban::wall_value(0), goban::periodic, goban::periodic);
  sides.at(goban::Axis::x, goban::Side::low) = goban::wall_value(1);
  goban::Grid grid(runtime, {.cells = cells, .boundary = sides, .active = is_solid});
  goban::Field<double> t(grid, "temperature"), next(grid, "next");
  t.fill([=](goban::Index3 i) { return 1 - (static_cast<double>(i[0]) + 0.5) / cells[0]; });

  // In at the hot side, out at the cold one; what is not active lets nothing through.
  goban::Parameter<double> enters("enters"), leaves("leaves");
  goban::Program step("porous"), flows("flows");
  step.apply(Conduct{1.0 / 6}, in(t), out(next));
  step.swap(t, next);
  flows.reduce([](auto t) { return t(-1, 0, 0) - t(); }, in(t), goban::sum, into(enters))
      .over({{0, 0, 0}, {1, period, period}});
  flows.reduce([](auto t) { return t() - t(1, 0, 0); }, in(t), goban::sum, into(leaves))
      .over({{cells[0] - 1, 0, 0}, cells});

  goban::Simulation simulation(grid, step, {.steps = 20000});
  simulation.derive(flows);
  simulation.output({t}, goban::at_end());
  simulation.picture(t, {.axis = goban::Axis::z}, goban::at_end());
  simulation.series("flows", {enters, leaves}, goban::every(2000));
  simulation.run();

  const double share =
      static_cast<double>(grid.active()->size()) / (cells[0] * cells[1] * cells[2]);
  const double conductivity = enters.value() * cells[0] / (period * period);
  std::printf(
      "%.1f %% solid, effective conductivity %.4f of the solid's, %.2e of the heat is lost\n",
      100 * share, conductivity, 1 - leaves.value() / enters.value());
  // No medium conducts better than the bound of Hashin and Shtrikman, 2 s / (3 - s).
  const bool is_bounded = conductivity > 0.1 && conductivity < 2 * share / (3 - share);
  return is_bounded && std::abs(1 - leaves.value() / enters.value()) < 1e-3 ? 0 : 1;
}
