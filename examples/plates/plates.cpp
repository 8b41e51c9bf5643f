// Grease between two plates: the upper one moves along x and lets go along z, the lower one moves
// along z. The velocity has two components with boundary conditions of their own, and a layer that
// has set is left out of the steps by a mask.
#include <cstdio>
#include <goban/goban.hpp>

struct Drag {
  double r;  // viscosity dt / dy^2
  GOBAN_FUNCTION void operator()(auto v, auto next) const {
    goban::unroll<2>([&](auto c) { next[c] = v[c]() + r * goban::laplacian<2>(v[c]); });
  }
};

int main(int argc, char** argv) {
  constexpr goban::Index layers = 20, set = 4;
  goban::Runtime runtime(argc, argv);
  goban::Grid grid(runtime, {.cells = {24, layers, 16},
                             .boundary = {goban::periodic, goban::mirror, goban::periodic}});
  goban::Field<double, 2> v(grid, "velocity");
  goban::Field<std::uint8_t> flows(grid, "flows");
  using goban::Axis, goban::Side;
  v.boundary(Axis::y, Side::low, goban::wall_value(1), 1);
  v.boundary(Axis::y, Side::high, goban::wall_value(1), 0);
  const goban::Field<double, 2> next(v, "next");  // with the same conditions
  v.fill(0);
  flows.fill([](goban::Index3 cell) { return cell[1] >= set ? 1 : 0; });

  goban::Program step("plates");
  step.apply(Drag{0.16}, in(v), out(next)).where(flows);
  step.swap(v, next);
  goban::Simulation simulation(grid, step, {.steps = 6000});
  simulation.run();

  // Along x a straight line from the layer that has set to the upper plate; along z nothing moves
  // that, as the layer keeps the lower plate's motion to itself.
  const double height = (9 - (set - 1)) / (layers - 0.5 - (set - 1));
  const double along_x = v.get({5, 9, 7}, 0), along_z = v.get({5, 9, 7}, 1);
  std::printf("at half height: %.6f along x, exactly %.6f; %.6f along z\n", along_x, height,
              along_z);
  return std::abs(along_x - height) < 1e-6 && along_z == 0 ? 0 : 1;
}
