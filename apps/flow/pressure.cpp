#include "flow/pressure.hpp"

#include "goban/goban.hpp"
#include "goban/solver/multigrid.hpp"

namespace goban::flow {
namespace {

/// Net flow into a cell, sum over its faces of c (phi' - phi) / h^2; c is 1 where it is not given.
GOBAN_FUNCTION auto inflow(const Real3& per_h2, const auto& phi) {
  const auto here = phi();
  return per_h2[0] * ((phi(1, 0, 0) - here) - (here - phi(-1, 0, 0))) +
         per_h2[1] * ((phi(0, 1, 0) - here) - (here - phi(0, -1, 0))) +
         per_h2[2] * ((phi(0, 0, 1) - here) - (here - phi(0, 0, -1)));
}
GOBAN_FUNCTION auto inflow(const Real3& per_h2, const auto& phi, const auto& x, const auto& y,
                           const auto& z) {
  const auto here = phi();
  return per_h2[0] * (x(1, 0, 0) * (phi(1, 0, 0) - here) - x() * (here - phi(-1, 0, 0))) +
         per_h2[1] * (y(0, 1, 0) * (phi(0, 1, 0) - here) - y() * (here - phi(0, -1, 0))) +
         per_h2[2] * (z(0, 0, 1) * (phi(0, 0, 1) - here) - z() * (here - phi(0, 0, -1)));
}

/// phi' = phi + weight (Lap phi - f) / (2 sum 1/h^2).
struct Relax {
  Real3 per_h2;
  double weight;  ///< over the sum, m2
  GOBAN_FUNCTION void operator()(auto phi, auto f, auto next, auto... c) const {
    next = phi() + weight * (inflow(per_h2, phi, c...) - f());
  }
};

struct Missing {
  Real3 per_h2;
  GOBAN_FUNCTION auto operator()(auto phi, auto f, auto... c) const {
    return abs(inflow(per_h2, phi, c...) - f());
  }
};

/// Jacobi's method. Weighted: between walls and in periodic boxes of even extents the plain method
/// keeps errors that change sign from cell to cell.
class Jacobi : public PressureSolver {
 public:
  Jacobi(const Pressure& pressure, const Field<double>& phi, const Field<double>& f,
         std::vector<Field<double>> conductances)
      : pressure_(pressure),
        phi_(phi),
        f_(f),
        conductances_(std::move(conductances)),
        next_(phi, "phi_next") {
    for (std::size_t a = 0; a < 3; ++a) {
      const double h = phi.grid()->spacing[a];
      if (phi.grid()->cells[a] > 1) per_h2_[a] = 1 / (h * h);
    }
  }
  void add_setup(Program&) const override {}
  void add_solve(Program& program) const override {
    constexpr Index sweeps_between_looks = 20;
    Program sweep("pressure"), look("look");
    const double weight = 6.0 / 7 / (2 * (per_h2_[0] + per_h2_[1] + per_h2_[2]));
    with_conductances([&](const auto&... c) {
      sweep.apply(Relax{per_h2_, weight}, in(phi_), in(f_), out(next_), in(c)...);
      look.reduce(Missing{per_h2_}, in(phi_), in(f_), in(c)..., maximum, into(residual_));
    });
    sweep.swap(phi_, next_);
    if (pressure_.iterations > 0) {
      program.repeat(pressure_.iterations, sweep);
    } else {
      program.until(residual_ < pressure_.tolerance, sweeps_between_looks, pressure_.limit, sweep,
                    look);
    }
  }

 private:
  template <class Visit>
  void with_conductances(const Visit& visit) const {
    if (conductances_.empty()) return visit();
    visit(conductances_[0], conductances_[1], conductances_[2]);
  }

  Pressure pressure_;
  Field<double> phi_, f_;
  std::vector<Field<double>> conductances_;
  Field<double> next_;
  Real3 per_h2_{};
  Parameter<double> residual_{"pressure_residual"};
};

/// V cycles over grids that are coarsened as far as cells can be put together in twos.
class ByMultigrid : public PressureSolver {
 public:
  ByMultigrid(const Pressure& pressure, const Field<double>& phi, const Field<double>& f,
              const std::vector<Field<double>>& c)
      : pressure_(pressure),
        multigrid_(c.empty() ? Multigrid<double>(phi, f, options(pressure))
                             : Multigrid<double>(phi, f, c[0], c[1], c[2], options(pressure))) {}
  void add_setup(Program& program) const override { multigrid_.add_setup(program); }
  void add_solve(Program& program) const override {
    if (pressure_.iterations == 0) {
      return multigrid_.add_solve(program, pressure_.tolerance, pressure_.limit);
    }
    multigrid_.add_balance(program);
    Program cycle("pressure");
    multigrid_.add_cycle(cycle);
    program.repeat(pressure_.iterations, cycle);
  }

 private:
  static MultigridOptions options(const Pressure& pressure) {
    return {.single_precision = pressure.in_single, .gathered_cells = pressure.gathered_cells};
  }

  Pressure pressure_;
  Multigrid<double> multigrid_;
};

}  // namespace

std::unique_ptr<PressureSolver> make_pressure_solver(
    const Pressure& pressure, const Field<double>& phi, const Field<double>& f,
    const std::vector<Field<double>>& conductances) {
  if (pressure.solver == Pressure::Solver::multigrid) {
    return std::make_unique<ByMultigrid>(pressure, phi, f, conductances);
  }
  return std::make_unique<Jacobi>(pressure, phi, f, conductances);
}

}  // namespace goban::flow
