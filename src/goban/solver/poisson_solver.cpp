#include "goban/solver/poisson_solver.hpp"

#include <stdexcept>

#include "goban/program/solve.hpp"
#include "goban/solver/convergence.hpp"
#include "goban/solver/fourier.hpp"
#include "goban/solver/homogeneous.hpp"
#include "goban/solver/multigrid.hpp"
#include "goban/solver/poisson_stencils.hpp"

namespace goban {
namespace {

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
    const std::size_t first = program.stages().size();
    Program sweep("Jacobi of " + level_.u.name()), look("look"), equation("equation");
    with_conductances(level_, [&](const auto&... c) {
      sweep.apply(multigrid::Relax{level_.per_h2, weight}, in(level_.u), in(level_.f),
                  out(level_.next), c...);
      look.reduce(multigrid::ResidualMagnitude{level_.per_h2}, in(level_.u), in(level_.f), c...,
                  maximum, into(residual_));
      equation.reduce(multigrid::ResidualHere{level_.per_h2}, in(level_.u), in(level_.f), c..., sum,
                      into(residual_));
    });
    sweep.swap(level_.u, level_.next);
    if (method_.iterations > 0) {
      program.repeat(method_.iterations, sweep);
    } else {
      const Condition condition = is_small(look, residual_, scale, method_.tolerance);
      program.repeat(sweeps_between_looks, sweep);
      program.until(condition, sweeps_between_looks, method_.limit, sweep, look);
    }
    Solve solve{sweep.name(), level_.u.record(), level_.f.record()};
    solve.equations = {equation.stages().front()};
    solve.of_changes = [self = *this](const Solve::Product&) { return self.of_changes(); };
    mark_solve(program, first, std::move(solve));
  }

 private:
  Solve::OfChanges of_changes() const {
    const Field<double> u = field_of_changes(level_.u, "change");
    const Field<double> f = field_of_changes(level_.u, "right-hand side");
    return {u.record(), f.record(),
            [f, alike = ByJacobi(method_, u, f, level_.conductances)](Program& changes) {
              const Parameter<double> largest(f.name() + " at most");
              changes.reduce(multigrid::Magnitude{}, in(f), maximum, into(largest));
              changes.apply(multigrid::SetZero{}, out(alike.level_.u));
              alike.add_solve(changes, largest);
            }};
  }

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
        multigrid_(c.empty() ? Multigrid<double>(u, f, options(method))
                             : Multigrid<double>(u, f, c[0], c[1], c[2], options(method))) {}
  void add_setup(Program& program) const override { multigrid_.add_setup(program); }
  void add_solve(Program& program, const Parameter<double>& scale) const override {
    if (method_.iterations > 0) {
      multigrid_.add_cycles(program, method_.iterations);
    } else {
      multigrid_.add_solve(program, method_.tolerance, scale, method_.limit);
    }
  }

 private:
  static MultigridOptions options(const PoissonMethod& method) {
    return {.single_precision = method.in_single, .gathered_cells = method.gathered_cells};
  }

  PoissonMethod method_;
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
