#include "flow/pressure.hpp"

#include "goban/goban.hpp"
#include "goban/solver/poisson_stencils.hpp"

namespace goban::flow {
namespace {

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
    constexpr double weight = 6.0 / 7;
    with_conductances([&](const auto&... c) {
      sweep.apply(multigrid::Relax{per_h2_, weight}, in(phi_), in(f_), out(next_), in(c)...);
      look.reduce(multigrid::ResidualMagnitude{per_h2_}, in(phi_), in(f_), in(c)..., maximum,
                  into(residual_));
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
    return {.transfer = pressure.full_weighting ? MultigridTransfer::full_weighting
                                                : MultigridTransfer::cell_centered,
            .single_precision = pressure.in_single,
            .gathered_cells = pressure.gathered_cells};
  }

  Pressure pressure_;
  Multigrid<double> multigrid_;
};

/// To round-off.
class ByFourier : public PressureSolver {
 public:
  ByFourier(const Field<double>& phi, const Field<double>& f) : fourier_(phi, f) {}
  void add_setup(Program&) const override {}
  void add_solve(Program& program) const override { fourier_.add_solve(program); }

 private:
  Fourier<double> fourier_;
};

}  // namespace

std::unique_ptr<PressureSolver> make_pressure_solver(
    const Pressure& pressure, const Field<double>& phi, const Field<double>& f,
    const std::vector<Field<double>>& conductances) {
  switch (pressure.solver) {
    case Pressure::Solver::jacobi: return std::make_unique<Jacobi>(pressure, phi, f, conductances);
    case Pressure::Solver::fourier: return std::make_unique<ByFourier>(phi, f);
    default: return std::make_unique<ByMultigrid>(pressure, phi, f, conductances);
  }
}

}  // namespace goban::flow
