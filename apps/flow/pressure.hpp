#pragma once
// How the pressure is found.

#include <memory>
#include <vector>

#include "flow/model.hpp"
#include "goban/program/program.hpp"

namespace goban::flow {

/// Finds phi with Lap phi = f, or with conductances c of lower faces div(c grad phi) = f; phi
/// begins as a guess.
class PressureSolver {
 public:
  virtual ~PressureSolver() = default;
  /// Once, when conductances are known.
  virtual void add_setup(Program& program) const = 0;
  /// Error (ExitCode::diverged), when it runs: the tolerance is not met.
  virtual void add_solve(Program& program) const = 0;
};

/// `conductances`: of x, y, z, or none.
std::unique_ptr<PressureSolver> make_pressure_solver(
    const Pressure& pressure, const Field<double>& phi, const Field<double>& f,
    const std::vector<Field<double>>& conductances);

}  // namespace goban::flow
