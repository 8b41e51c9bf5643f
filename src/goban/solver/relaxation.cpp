#include "goban/solver/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace goban::multigrid {
namespace {

using Kind = BoundaryCondition::Kind;
using std::numbers::pi;

bool holds_a_value(const BoundaryCondition& side) {
  return side.kind == Kind::wall_value || side.kind == Kind::constant;
}

/// The two smallest eigenvalues of the second difference along an axis.
std::array<double, 2> smallest_two(Index cells, const std::array<BoundaryCondition, 2>& sides) {
  const auto of_angle = [&](double angle) { return 4 * std::pow(std::sin(angle / 2), 2); };
  const auto n = static_cast<double>(cells);
  const int ends = holds_a_value(sides[0]) + holds_a_value(sides[1]);
  if (sides[0].kind == Kind::periodic) return {0, of_angle(2 * pi / n)};
  if (ends == 0) return {0, of_angle(pi / n)};
  if (ends == 1) return {of_angle(0.5 * pi / n), of_angle(1.5 * pi / n)};
  return {of_angle(pi / n), of_angle(2 * pi / n)};
}

}  // namespace

std::vector<double> chebyshev_weights(int n, double low, double high) {
  std::vector<double> roots;
  for (int j = 1; j <= n; ++j) {
    roots.push_back((high + low) / 2 + (high - low) / 2 * std::cos(pi * (2 * j - 1) / (2 * n)));
  }
  std::vector<double> distances = roots;  // from those before, in logarithms; the largest begins
  for (std::size_t next = 0; next < roots.size(); ++next) {
    const auto first = static_cast<std::ptrdiff_t>(next);
    const auto farthest = static_cast<std::size_t>(
        std::max_element(distances.begin() + first, distances.end()) - distances.begin());
    std::swap(roots[next], roots[farthest]);
    std::swap(distances[next], distances[farthest]);
    for (std::size_t other = next + 1; other < roots.size(); ++other) {
      if (next == 0) distances[other] = 0;
      distances[other] += std::log(std::abs(roots[other] - roots[next]));
    }
  }
  for (double& root : roots) root = 1 / root;
  return roots;
}

double sweeps_reducing(double reduction, double low, double high) {
  return std::max(1.0, std::ceil(std::acosh(reduction) / std::acosh((high + low) / (high - low))));
}

bool is_flat(Index3 cells, const BoundarySet& boundary, int axis) {
  const auto a = static_cast<std::size_t>(axis);
  const auto passes_nothing = [](const BoundaryCondition& side) {
    return side.kind == Kind::periodic || side.kind == Kind::mirror;
  };
  return cells[a] == 1 && passes_nothing(boundary.sides[a][0]) &&
         passes_nothing(boundary.sides[a][1]);
}

Real3 inverse_squares(Index3 cells, Real3 spacing, const BoundarySet& boundary) {
  Real3 squares{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (!is_flat(cells, boundary, axis)) squares[a] = 1 / (spacing[a] * spacing[a]);
  }
  return squares;
}

double smallest_eigenvalue(Index3 cells, Real3 per_h2, const BoundarySet& boundary) {
  double least = 0, step = std::numeric_limits<double>::infinity(), diagonal = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (per_h2[a] == 0) continue;
    const auto [first, second] = smallest_two(cells[a], boundary.sides[a]);
    least += per_h2[a] * first;
    if (cells[a] > 1) step = std::min(step, per_h2[a] * (second - first));
    diagonal += 2 * per_h2[a];
  }
  return (least > 0 ? least : step) / diagonal;
}

bool is_singular(const BoundarySet& boundary) {
  return std::none_of(boundary.sides.begin(), boundary.sides.end(), [](const auto& sides) {
    return holds_a_value(sides[0]) || holds_a_value(sides[1]);
  });
}

Index3 next_ratio(Index3 cells, Real3 spacing, const BoundarySet& boundary) {
  constexpr double alike = 1.5;
  double least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < 3; ++a) {
    if (!is_flat(cells, boundary, a)) least = std::min(least, spacing[static_cast<std::size_t>(a)]);
  }
  Index3 ratio{1, 1, 1};
  for (std::size_t a = 0; a < 3; ++a) {
    if (cells[a] % 2 == 0 && spacing[a] <= alike * least) ratio[a] = 2;
  }
  return ratio;
}

}  // namespace goban::multigrid
