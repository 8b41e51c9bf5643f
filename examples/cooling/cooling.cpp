// A plate is held at 100 degrees on one side and cooled by air on the other: a boundary condition
// of one's own, k dT/dn = h (T_air - T), on that side alone.
#include <cstdio>
#include <goban/goban.hpp>

struct Conduct {  // T' = T + r (sum of 6 neighbours - 6 T),  r = alpha dt / dx^2
  float r;
  GOBAN_FUNCTION void operator()(auto t, auto next) const {
    next = t() + r * (t(1, 0, 0) + t(-1, 0, 0) + t(0, 1, 0) + t(0, -1, 0) + t(0, 0, 1) +
                      t(0, 0, -1) - 6.0f * t());
  }
};

int main(int argc, char** argv) {
  constexpr double thickness = 0.01, air = 20, hot = 100, conductivity = 0.8, transfer = 40;
  constexpr goban::Index cells = 16;
  constexpr double dx = thickness / cells;

  // With b = h dx / (2 k), conduction to the face and transfer from it to the air are equal if
  //   k (ghost - inside) / dx = h (air - (ghost + inside) / 2).
  constexpr double b = transfer * dx / (2 * conductivity);
  goban::BoundarySet sides(goban::mirror);
  sides.at(goban::Axis::x, goban::Side::low) = goban::wall_value(hot);
  sides.at(goban::Axis::x, goban::Side::high) = goban::custom([](const goban::GhostCell& ghost) {
    return ((1 - b) * ghost.inside(1) + 2 * b * air) / (1 + b);
  });

  goban::Runtime runtime(argc, argv);
  goban::Grid grid(runtime, {.cells = {cells, 24, 20}, .spacing = dx, .boundary = sides});
  goban::Field<float> t(grid, "temperature"), next(grid, "next");
  t.fill(air);

  goban::Program step("cooling");
  step.apply(Conduct{0.16f}, in(t), out(next));
  step.swap(t, next);
  goban::Simulation simulation(grid, step, {.steps = 6000});
  simulation.run();

  const double last = t.get({cells - 1, 7, 5});
  const double face = (last + ((1 - b) * last + 2 * b * air) / (1 + b)) / 2;
  const double exact = air + (hot - air) / (1 + transfer * thickness / conductivity);
  std::printf("cooled face: %.3f degrees, exactly %.3f\n", face, exact);
  return std::abs(face - exact) < 0.01 ? 0 : 1;
}
