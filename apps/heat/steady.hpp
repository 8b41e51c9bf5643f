#pragma once
// Steady states by conjugate gradients, one iteration a step.

#include <array>

#include "goban/program/program.hpp"
#include "heat/medium.hpp"

namespace goban::heat {

/// Solves 0 = div(k grad u) + q (one component) or, for three components, the cell problems
/// 0 = div(k (e_c + grad u_c)) of periodic homogenisation, side by side. Everything is computed in
/// double; scalar products are exact sums, so that the residuals that steer the iteration, and with
/// them every bit of u, do not depend on how the grid is cut.
template <int Components, class Layout>
class SteadyState {
  static_assert(Components == 1 || Components == 3);

 public:
  /// Declares the fields, sets u to the initial temperature (three components: 0) and computes the
  /// first residual. Error (ExitCode::usage): sources that do not balance where no side holds a
  /// temperature.
  SteadyState(Grid& grid, const Model& model);

  /// One iteration: 104 bytes per cell and component are moved.
  Program program() const;

  Conductances<double, Layout> medium;  ///< conductances k / h^2, W/(m3 K)
  Field<double, Components, Layout> u;  ///< "temperature" or "fluctuation" [K]
  /// Norm of r in the inverse diagonal over that of the first residual, the largest of the
  /// components.
  Parameter<double> residual{"residual", 1};
  /// Squared norms of the first residual: state that restarts need.
  std::array<Parameter<double>, Components> first;

 private:
  void begin(Grid& grid, const Model& model);

  Field<double, Components, Layout> r_, p_;
  Field<double, 1, Layout> inverse_diagonal_;
};

}  // namespace goban::heat
