#pragma once
// Takes what diverges off a velocity on faces (Chorin, Math. Comp. 22 (1968) 745).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "goban/solver/poisson_solver.hpp"

namespace goban {

/// Lap phi = length div u*, u = u* - grad phi / length, where length [s] is that of a stage in time
/// and phi [m2] = pressure length^2 / density. `boundary` is that of phi:
/// where it is mirrored, what crosses a side is that of u*. Fields begin at 0. The tolerance is the
/// largest |div u| that is left, over the largest sum |u| / h, as far as that is known before.
///   Projection<2, double> projection(grid, {}, type, false, mirror);
///   projection.add_setup(start);                          // once, when types are known
///   projection.add_length(step);                          // `length` is that of this stage
///   projection.add_guess(step);
///   projection.add_projection(step, {u, v});
template <int D, class T>
class Projection {
 public:
  /// `type`: what cells are (staggered::cell), where they differ; among them solids, if
  /// `has_solids`, around which conductances are needed. Errors: of PoissonSolver.
  Projection(Grid& grid, const PoissonMethod& method,
             const std::optional<Field<std::uint8_t>>& type, bool has_solids,
             const BoundarySet& boundary);

  void add_setup(Program& program) const;
  /// What follows from `length` and the two before it: phi / length^2 is guessed to be linear in
  /// time.
  void add_length(Program& program) const;
  /// phi becomes what its past suggests; until then it is that of the stage before.
  void add_guess(Program& program) const;
  /// D velocities, which have passed through the sides what they shall.
  void add_projection(Program& program, const std::vector<Field<T>>& velocity) const;
  /// Returns PoissonSolver::transforms().
  std::string transforms() const { return solver_->transforms(); }

  Field<double> phi;                             ///< m2
  Parameter<double> length{"length"};            ///< s
  Parameter<double> per_length{"per_length"};    ///< 1/s
  Parameter<double> last_length{"last_length"};  ///< s, of the stage before; 0: there was none

 private:
  Grid grid_;
  std::optional<Field<std::uint8_t>> type_;
  Field<double> older_, imbalance_;
  std::vector<Field<double>> conductances_;
  std::unique_ptr<PoissonSolver> solver_;
  bool has_tolerance_;
  Parameter<double> rate_{"expected_rate"}, scale_{"expected_flow"};
  Parameter<double> last_but_one_{"last_length_but_one"};
  Parameter<double> guess_now_{"guess_now"}, guess_before_{"guess_before"};
};

}  // namespace goban
