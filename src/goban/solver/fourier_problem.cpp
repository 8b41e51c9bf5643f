#include "goban/solver/fourier_problem.hpp"

#include <cmath>
#include <numbers>

#include "goban/solver/relaxation.hpp"

namespace goban {
namespace {

/// Returns what a side adds to div grad u of the cell at it beside what a homogeneous one would.
double flow_through(const BoundaryCondition& side, double h) {
  if (side.kind == BoundaryCondition::Kind::wall_value) return 2 * side.value / (h * h);
  return side.kind == BoundaryCondition::Kind::gradient ? side.value / h : 0;
}

bool is_half(Waves waves) { return waves == Waves::even_odd || waves == Waves::odd_even; }

/// Returns exp(-i pi part / whole).
device::Wave turned(Index part, Index whole) {
  const double angle = std::numbers::pi * static_cast<double>(part) / static_cast<double>(whole);
  return {std::cos(angle), -std::sin(angle)};
}

/// Returns the place at which second_difference() has the real wave k of Makhoul's transform.
/// Sines are the cosines of the line with every second sign changed, the shortest first.
Index place_of(Waves waves, Index cells, Index k) {
  return waves == Waves::odd ? cells - 1 - k : k;
}

}  // namespace

FourierProblem::FourierProblem(const GridState& grid, const BoundarySet& boundary)
    : cells(grid.cells), is_singular(multigrid::is_singular(boundary)) {
  for (std::size_t a = 0; a < 3; ++a) {
    const double h = grid.spacing[a];
    const auto& [low, high] = boundary.sides[a];
    per_h2[a] = 1 / (h * h);
    ends[a] = {flow_through(low, h), flow_through(high, h)};
    waves[a] = waves_between(low, high);
  }
  if (waves[2] == Waves::periodic) return;
  for (std::size_t side = 0; side < 2; ++side) {
    const bool is_odd = boundary.sides[2][side].kind == BoundaryCondition::Kind::wall_value;
    beyond[side] = is_odd ? -1 : 1;
  }
}

WaveTables wave_tables(const FourierProblem& problem, std::size_t axis) {
  const Index n = problem.cells[axis];
  const Waves waves = problem.waves[axis];
  const bool is_periodic = waves == Waves::periodic, has_half = is_half(waves);
  WaveTables tables;
  tables.sum = static_cast<int>(has_half ? n - 1 : n);
  tables.pairs = static_cast<int>(has_half ? (n + 1) / 2 : n / 2 + 1);
  for (Index cell = 0; cell < n; ++cell) {
    const Index i = waves == Waves::odd_even ? n - 1 - cell : cell;
    const Index place = is_periodic ? i : i % 2 == 0 ? i / 2 : n - 1 - i / 2;
    const bool changes_sign = (waves == Waves::odd || has_half) && i % 2 != 0;
    const device::Wave turn = has_half ? turned(place, n) : device::Wave{1, 0};
    tables.place.push_back(static_cast<device::int32>(place));
    tables.factor.push_back((changes_sign ? -1.0 : 1.0) * turn);
  }
  for (Index k = 0; k < tables.pairs; ++k) {
    const Index partner = (tables.sum - k) % n;
    const bool is_own = partner == k;
    const auto wave = [&](Index number) {
      return problem.eigenvalue(axis, place_of(waves, n, number)) / problem.per_h2[2];
    };
    tables.turn.push_back(is_periodic ? device::Wave{1, 0}
                          : has_half  ? turned(2 * k + 1, 4 * n)
                                      : turned(k, 2 * n));
    tables.waves.insert(tables.waves.end(), {wave(k), wave(is_own ? k : partner)});
    tables.twin.push_back(is_own && !is_periodic && (k > 0 || has_half) ? 1 : 0);
  }
  return tables;
}

}  // namespace goban
