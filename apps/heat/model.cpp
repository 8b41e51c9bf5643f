#include "heat/model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "goban/stencil/finite_differences.hpp"

namespace goban::heat {

bool Model::has_convection() const {
  return std::any_of(convection.begin(), convection.end(),
                     [](const auto& sides) { return sides[0] > 0 || sides[1] > 0; });
}

double largest_stable_step(double diffusivity, int order, Index3 cells, Real3 spacing,
                           const BoundarySet& boundary) {
  using Kind = BoundaryCondition::Kind;
  const int m = order / 2;
  double symbol = -finite_differences::second(m, 0);
  for (int j = 1; j <= m; ++j) {
    symbol -= 2 * (j % 2 == 0 ? 1 : -1) * finite_differences::second(m, j);
  }
  double inverse_squares = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    bool flows = cells[a] > 1;
    for (const auto& side : boundary.sides[a]) {
      flows = flows || side.kind == Kind::constant || side.kind == Kind::wall_value;
    }
    if (flows) inverse_squares += 1 / (spacing[a] * spacing[a]);
  }
  return 2 / (diffusivity * symbol * inverse_squares);
}

double growth_of_mode(double diffusivity, double dt, int order, Index3 waves, Index3 cells,
                      Real3 spacing) {
  const int m = order / 2;
  double symbol = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double phase =
        2 * std::numbers::pi * static_cast<double>(waves[a]) / static_cast<double>(cells[a]);
    double along = finite_differences::second(m, 0);
    for (int j = 1; j <= m; ++j) {
      along += 2 * finite_differences::second(m, j) * std::cos(j * phase);
    }
    symbol += along / (spacing[a] * spacing[a]);
  }
  return 1 + diffusivity * dt * symbol;
}

}  // namespace goban::heat
