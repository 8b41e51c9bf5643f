#pragma once
// What is known of div grad u = f before any of it is computed, for all ways to transform it.

#include <vector>

#include "goban/backend/kernels/fourier.hpp"
#include "goban/grid/grid.hpp"
#include "goban/solver/real_transform.hpp"

namespace goban {

/// The equation on a grid, with the conditions at its sides.
struct FourierProblem {
  /// Error (ExitCode::usage): the errors of waves_between().
  FourierProblem(const GridState& grid, const BoundarySet& boundary);

  /// The factor of second differences along an axis for the wave at a place of a transformed line.
  double eigenvalue(std::size_t axis, Index place) const {
    return per_h2[axis] * second_difference(waves[axis], cells[axis], place);
  }

  Index3 cells;
  std::array<double, 3> per_h2{};
  std::array<std::array<double, 2>, 3> ends{};  ///< what sides add to div grad u of cells at them
  std::array<Waves, 3> waves{};
  /// What the sides of z add to the diagonal of a column, over 1 / h^2; 0 if z is periodic.
  std::array<double, 2> beyond{};
  bool is_singular = false;  ///< no side holds a value
};

/// How the waves along an axis are made of complex transforms of pairs of real lines; see
/// device::WaveAxis, whose tables these are.
struct WaveTables {
  int sum = 0, pairs = 0;
  std::vector<device::int32> place;
  std::vector<device::Wave> factor, turn;
  std::vector<double> waves, twin;
};
/// Returns the tables of x or y.
WaveTables wave_tables(const FourierProblem& problem, std::size_t axis);

}  // namespace goban
