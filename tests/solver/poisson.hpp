#pragma once
// A problem div(c grad u) = f with a rough right-hand side, and how its residual falls.

#include <cmath>
#include <string>
#include <vector>

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/solver/multigrid.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::test {

inline void run_once(const Program& program) {
  StepClock clock;
  Engine engine(program);
  engine.run(1, clock);
  engine.synchronize();
}

/// Sides of all kinds.
inline BoundarySet mixed_sides() {
  BoundarySet sides{mirror, wall_value(0.5), periodic};
  sides.at(Axis::x, Side::high) = wall_value(-1);
  sides.at(Axis::y, Side::low) = gradient(0.25);
  return sides;
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Whole and cut, on CPUs and on devices.
inline SettingsProduct whole_and_cut(const std::array<std::string, 3>& cut = {"13,11", "",
                                                                              "9,11"}) {
  SettingsProduct product;
  product.cuts = {{"", "", ""}, cut};
  product.backends = {Backend::cpu, Backend::emulated};
  return product;
}

/// In a box of size 1, not in its middle.
inline bool is_in_ball(Real3 x) {
  return std::pow(x[0] - 0.45, 2) + std::pow(x[1] - 0.5, 2) + std::pow(x[2] - 0.52, 2) < 0.09;
}

template <class T>
struct Poisson {
  Runtime runtime;
  Grid grid;
  Field<T> u, f;
  std::vector<Field<T>> c;

  Poisson(const Settings& settings, const GridOptions& options)
      : runtime(settings), grid(runtime, options), u(grid, "u"), f(grid, "f") {
    u.fill(0);
    f.fill([](Index3 p) { return pattern(p) - 0.5; });
  }
  /// Conductances on faces, by their axis and position.
  template <class Function>
  void conduct(const Function& function) {
    BoundarySet sides = grid.state()->boundary;
    for (auto& axis : sides.sides) {
      if (axis[0].kind != periodic_kind) axis = {mirror, mirror};
    }
    const Location faces[] = {Location::face_x, Location::face_y, Location::face_z};
    for (std::size_t a = 0; a < 3; ++a) {
      c.emplace_back(
          grid, std::string("c") + "xyz" [a],
          FieldOptions { .location = faces[a], .boundary = &sides });
      c.back().fill([function, a](Position p) { return function(a, p); });
    }
  }
  /// A solid ball, in which f is 0; the grid is a box of size 1.
  void close_ball() {
    conduct([h = grid.spacing()](std::size_t a, Position p) {
      Real3 below{p.x, p.y, p.z}, above = below;
      below[a] -= h[a] / 2;
      above[a] += h[a] / 2;
      return is_in_ball(below) || is_in_ball(above) ? 0.0 : 1.0;
    });
    f.fill([](Position p) {
      return is_in_ball({p.x, p.y, p.z}) ? 0.0 : std::sin(9 * p.x + 3 * p.y) + p.z;
    });
  }
  Multigrid<T> solver(const MultigridOptions& options = {}) const {
    if (c.empty()) return Multigrid<T>(u, f, options);
    return Multigrid<T>(u, f, c[0], c[1], c[2], options);
  }

  /// The mean factor by which a cycle multiplies the residual, some of the first left out.
  double factor(const MultigridOptions& options = {}) const {
    const Multigrid<T> multigrid = solver(options);
    Program begin("begin"), cycle("cycle");
    multigrid.add_setup(begin);
    multigrid.add_balance(begin);
    multigrid.add_cycle(cycle);
    multigrid.add_residual(cycle);
    run_once(begin);
    StepClock clock;
    Engine engine(cycle);
    constexpr int first = 3, then = 5;
    engine.run(first, clock);
    const double before = multigrid.residual().value();
    engine.run(then, clock);
    return std::pow(multigrid.residual().value() / before, 1.0 / then);
  }
};

}  // namespace goban::test
