#pragma once
// The solver that a case chooses.

#include <memory>
#include <string>
#include <vector>

#include "goban/cases/poisson_keys.hpp"
#include "goban/program/program.hpp"

namespace goban {

/// Finds u with Lap u = f, or with conductances c of lower faces div(c grad u) = f; u begins as a
/// guess. Conditions are those of u, fields as Multigrid takes them.
class PoissonSolver {
 public:
  virtual ~PoissonSolver() = default;
  /// Before the first solution, and when conductances have changed.
  virtual void add_setup(Program& program) const = 0;
  /// Adds at least one cycle, or as many sweeps as lie between two looks, then until the largest |f
  /// - div(c grad u)| is less than the tolerance times `scale`; as often as the method says, or
  /// directly, whatever the scale. Error (ExitCode::diverged), when it runs: the tolerance is not
  /// met.
  virtual void add_solve(Program& program, const Parameter<double>& scale) const = 0;
  /// Returns what transforms, see Fourier::describe(); empty if nothing does.
  virtual std::string transforms() const { return ""; }
};

/// `conductances`: of x, y, z, or none. Errors: of Multigrid, Fourier; std::logic_error:
/// PoissonMethod::Solver::automatic.
std::unique_ptr<PoissonSolver> make_poisson_solver(const PoissonMethod& method,
                                                   const Field<double>& u, const Field<double>& f,
                                                   const std::vector<Field<double>>& conductances);

}  // namespace goban
