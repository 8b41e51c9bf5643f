#pragma once
// Steady states by conjugate gradients, one iteration a step.

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

  /// The program of one iteration.
  const Program& program() const { return step_; }

  Conductances<double, Layout> medium;  ///< conductances k / h^2, W/(m3 K)
  Field<double, Components, Layout> u;  ///< "temperature" or "fluctuation" [K]
  /// Norm of the residual over that of the first, the largest of the components: of
  /// ConjugateGradients or, with multigrid, FlexibleConjugateGradients.
  Parameter<double> residual{"residual", 1};

 private:
  void set_up(Grid& grid, const Model& model);
  void add_method(Program& start, const Model& model);

  Field<double, Components, Layout> r_;
  Program step_{"steady"};
};

}  // namespace goban::heat
