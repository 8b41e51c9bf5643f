#pragma once
// How a case has an equation of Poisson solved, in every step of a run.

#include <optional>
#include <string>

#include "goban/cases/fourier_transforms.hpp"
#include "goban/io/case/file.hpp"
#include "goban/io/case/schema.hpp"

namespace goban {

/// What solves div(c grad u) = f, made into stages by make_poisson_solver() (goban/solver).
struct PoissonMethod {
  enum class Solver { multigrid, jacobi, fourier, automatic };
  Solver solver = Solver::multigrid;
  bool in_single = false;  ///< cycles compute corrections in float32
  FourierTransforms transforms =
      FourierTransforms::automatic;  ///< what transforms for Solver::fourier
  Index iterations = 0;              ///< cycles or sweeps; 0: until the tolerance is met
  /// max |f - div(c grad u)| below which u is found, as a share of what it is compared with.
  double tolerance = 1e-6;
  Index limit = 100;                      ///< most cycles or sweeps after the first
  std::optional<Index> gathered_cells{};  ///< cells of the largest grid on one device; none: chosen
};

/// The keys of a section, one of a schema: `about` it, and what `tolerance` is.
void declare_poisson(CaseSchema& schema, const std::string& section, const std::string& about,
                     const std::string& tolerance);

/// Solver::automatic is replaced: Fourier transforms where a number of cells has an odd factor
/// above 32, else multigrid. Errors: keys of another solver; Fourier transforms around
/// solids.
PoissonMethod read_poisson(const Case& values, const std::string& section, bool has_solids);

}  // namespace goban
