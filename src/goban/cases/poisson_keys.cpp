#include "goban/cases/poisson_keys.hpp"

#include <algorithm>

namespace goban {
namespace {

using Solver = PoissonMethod::Solver;

/// Numbers of cells that cannot be halved often leave multigrid a large coarsest grid.
bool suits_multigrid(Index3 cells) {
  constexpr Index most_odd = 32;
  return std::all_of(cells.begin(), cells.end(), [](Index n) {
    while (n % 2 == 0) n /= 2;
    return n <= most_odd;
  });
}

}  // namespace

void declare_poisson(CaseSchema& schema, const std::string& section, const std::string& about,
                     const std::string& tolerance) {
  schema.section(section, about);
  schema
      .key(section + ".solver", &PoissonMethod::solver,
           {{"multigrid", Solver::multigrid},
            {"jacobi", Solver::jacobi},
            {"fourier", Solver::fourier},
            {"automatic", Solver::automatic}})
      .doc(
          "multigrid: V cycles; jacobi: weighted Jacobi sweeps; fourier: directly, not around "
          "solids; automatic: fourier where a number of cells has an odd factor above 32 and there "
          "are no solids, else multigrid");
  schema
      .key(section + ".transforms", &PoissonMethod::transforms,
           {{"automatic", FourierTransforms::automatic},
            {"host", FourierTransforms::host},
            {"device", FourierTransforms::device}})
      .doc(
          "what transforms for fourier: FFTW on the host of the first rank, or cuFFT on the GPU "
          "that computes the whole grid; automatic: the GPU if there is one, after a restart as "
          "before. The last bits of results differ");
  schema
      .key(section + ".corrections", &PoissonMethod::in_single,
           {{"float64", false}, {"float32", true}})
      .doc(
          "precision of V cycles; float32 moves fewer bytes, and the tolerance is met all the "
          "same");
  schema.key(section + ".gathered_cells", &PoissonMethod::gathered_cells)
      .at_least(0)
      .doc(
          "largest number of cells of coarser grids that lie on one device; 0: all are spread; "
          "default: as is predicted to be faster");
  schema.key(section + ".iterations", &PoissonMethod::iterations)
      .at_least(0)
      .doc("fixed number of iterations, whatever is reached; 0: until the tolerance is met");
  schema.key(section + ".tolerance", &PoissonMethod::tolerance).positive().doc(tolerance);
  schema.key(section + ".limit", &PoissonMethod::limit)
      .at_least(1)
      .optional()
      .doc(
          "most iterations beyond the first; the run ends if the tolerance is not met then; "
          "default: 100 cycles, 100000 sweeps");
}

PoissonMethod read_poisson(const Case& values, const std::string& section, bool has_solids) {
  auto method = values.read<PoissonMethod>();
  Solver& solver = method.solver;
  if (!values.has(section + ".limit")) method.limit = solver == Solver::jacobi ? 100000 : 100;
  const auto refuse = [&](bool is_refused, const char* name, const std::string& why,
                          const std::string& advice) {
    const std::string key = section + "." + name;
    if (is_refused) throw values.error(key, key + " is refused", why, advice);
  };
  const bool has_cycles = solver == Solver::multigrid || solver == Solver::automatic;
  const auto refuse_without_cycles = [&](bool is_given, const char* name) {
    refuse(is_given && !has_cycles, name, "only multigrid has cycles",
           "leave it out, or set " + section + ".solver to multigrid");
  };
  refuse_without_cycles(method.in_single, "corrections");
  refuse_without_cycles(method.gathered_cells.has_value(), "gathered_cells");
  refuse(values.given(section + ".transforms") && solver != Solver::fourier &&
             solver != Solver::automatic,
         "transforms", "only fourier transforms",
         "leave it out, or set " + section + ".solver to fourier");
  for (const char* name : {"iterations", "tolerance", "limit"}) {
    refuse(solver == Solver::fourier && values.given(section + "." + name), name,
           "Fourier transforms solve directly, to round-off", "leave it out");
  }
  refuse(method.iterations > 0 && values.given(section + ".tolerance"), "tolerance",
         section + ".iterations says how often", "leave one of them out");
  refuse(solver == Solver::fourier && has_solids, "solver",
         "around solids there are no waves that solve the equation", "use multigrid");
  if (solver == Solver::automatic) {
    const bool takes_waves = !has_solids && !suits_multigrid(values.integer3("grid.cells"));
    solver = takes_waves ? Solver::fourier : Solver::multigrid;
  }
  return method;
}

}  // namespace goban
