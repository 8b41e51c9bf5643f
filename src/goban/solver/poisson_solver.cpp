#include "goban/solver/poisson_solver.hpp"

#include <stdexcept>

#include "goban/solver/fourier.hpp"
#include "goban/solver/multigrid.hpp"
#include "goban/solver/poisson_stencils.hpp"

namespace goban {
namespace {

/// The condition of a solution, part of `check`, which finds the residual. A field of zeros is
/// solved by zeros, whatever its scale.
Condition is_small(Program& check, const Parameter<double>& residual,
                   const Parameter<double>& scale, double tolerance) {
  const Parameter<double> share(residual.name() + ", as a share,");
  check.compute([](auto residual, auto scale,
                   auto& share) { share = select(residual <= 0, 0, residual / scale); },
                in(residual), in(scale), out(share));
  return share < tolerance;
}

/// Jacobi's method. Weighted: between walls and in periodic boxes of even extents the plain method
/// keeps errors that change sign from cell to cell.
class ByJacobi : public PoissonSolver {
 public:
  ByJacobi(const PoissonMethod& method, const Field<double>& u, const Field<double>& f,
           std::vector<Field<double>> conductances)
      : method_(method), level_{{}, Grid(u.grid()),         u, Field<double>(u, u.name() + "_next"),
                                f,  std::move(conductances)} {
    level_.per_h2 = multigrid::inverse_squares(level_.grid.cells(), level_.grid.spacing(),
                                               u.record()->boundary.front());
  }
  void add_setup(Program&) const override {}
  void add_solve(Program& program, const Parameter<double>& scale) const override {
    constexpr Index sweeps_between_looks = 20;
    constexpr double weight = 6.0 / 7;
    Program sweep("Jacobi of " + level_.u.name()), look("look");
    with_conductances(level_, [&](const auto&... c) {
      sweep.apply(multigrid::Relax{level_.per_h2, weight}, in(level_.u), in(level_.f),
                  out(level_.next), c...);
      look.reduce(multigrid::ResidualMagnitude{level_.per_h2}, in(level_.u), in(level_.f), c...,
                  maximum, into(residual_));
    });
    sweep.swap(level_.u, level_.next);
    if (method_.iterations > 0) {
      program.repeat(method_.iterations, sweep);
    } else {
      const Condition condition = is_small(look, residual_, scale, method_.tolerance);
      program.repeat(sweeps_between_looks, sweep);
      program.until(condition, sweeps_between_looks, method_.limit, sweep, look);
    }
  }

 private:
  PoissonMethod method_;
  multigrid::Level<double> level_;
  Parameter<double> residual_{level_.u.name() + "_residual"};
};

/// V cycles over grids that are coarsened as far as cells can be put together in twos.
class ByMultigrid : public PoissonSolver {
 public:
  ByMultigrid(const PoissonMethod& method, const Field<double>& u, const Field<double>& f,
              const std::vector<Field<double>>& c)
      : method_(method),
        name_(u.name()),
        multigrid_(c.empty() ? Multigrid<double>(u, f, options(method))
                             : Multigrid<double>(u, f, c[0], c[1], c[2], options(method))) {}
  void add_setup(Program& program) const override { multigrid_.add_setup(program); }
  void add_solve(Program& program, const Parameter<double>& scale) const override {
    multigrid_.add_balance(program);
    Program cycle("multigrid of " + name_), check("residual");
    multigrid_.add_cycle(cycle);
    if (method_.iterations > 0) {
      program.repeat(method_.iterations, cycle);
      return;
    }
    multigrid_.add_residual(check);
    const Condition condition = is_small(check, multigrid_.residual(), scale, method_.tolerance);
    multigrid_.add_cycle(program);
    program.until(condition, 1, method_.limit, cycle, check);
  }

 private:
  static MultigridOptions options(const PoissonMethod& method) {
    return {.single_precision = method.in_single, .gathered_cells = method.gathered_cells};
  }

  PoissonMethod method_;
  std::string name_;
  Multigrid<double> multigrid_;
};

/// Solves to round-off.
class ByFourier : public PoissonSolver {
 public:
  ByFourier(const PoissonMethod& method, const Field<double>& u, const Field<double>& f)
      : fourier_(u, f, {.transforms = method.transforms}) {}
  void add_setup(Program&) const override {}
  void add_solve(Program& program, const Parameter<double>& /*scale*/) const override {
    fourier_.add_solve(program);
  }
  std::string transforms() const override { return fourier_.describe(); }

 private:
  Fourier<double> fourier_;
};

}  // namespace

std::unique_ptr<PoissonSolver> make_poisson_solver(const PoissonMethod& method,
                                                   const Field<double>& u, const Field<double>& f,
                                                   const std::vector<Field<double>>& conductances) {
  using Solver = PoissonMethod::Solver;
  switch (method.solver) {
    case Solver::jacobi: return std::make_unique<ByJacobi>(method, u, f, conductances);
    case Solver::fourier: return std::make_unique<ByFourier>(method, u, f);
    case Solver::multigrid: return std::make_unique<ByMultigrid>(method, u, f, conductances);
    case Solver::automatic: break;
  }
  throw std::logic_error("read_poisson() replaces an automatic solver");
}

}  // namespace goban
