#include "heat/steady.hpp"

#include <cmath>

#include "goban/cases/profile_rows.hpp"
#include "goban/goban.hpp"
#include "heat/conductances.hpp"
#include "heat/stencils.hpp"

namespace goban::heat {
namespace {

bool holds_a_temperature(const BoundarySet& boundary) {
  using Kind = BoundaryCondition::Kind;
  for (const auto& axis : boundary.sides) {
    for (const auto& side : axis) {
      if (side.kind == Kind::constant || side.kind == Kind::wall_value) return true;
    }
  }
  return false;
}

Real3 inverse_squares(Real3 h) { return {1 / (h[0] * h[0]), 1 / (h[1] * h[1]), 1 / (h[2] * h[2])}; }

}  // namespace

template <int Components, class Layout>
SteadyState<Components, Layout>::SteadyState(Grid& grid, const Model& model)
    : medium(grid, model, inverse_squares(grid.spacing())),
      u(grid, Components == 1 ? "temperature" : "fluctuation"),
      r_(grid, "imbalance") {
  u.boundary(model.boundary);
  r_.boundary(homogeneous(model.boundary));
  set_up(grid, model);
}

template <int Components, class Layout>
void SteadyState<Components, Layout>::set_up(Grid& grid, const Model& model) {
  Program start("start");
  if constexpr (Components == 1) {
    fill_with_sum(u, model.initial);
    fill_with_sum(r_, model.sources);
  } else {
    u.fill(0.0);
    start.apply(UnitGradients{grid.spacing()}, in(medium.x), in(medium.y), in(medium.z), out(r_));
  }
  add_method(start, model);
  StepClock clock;
  Engine(start).run(1, clock);

  if (!holds_a_temperature(model.boundary)) {
    const double most = std::max(std::abs(r_.maximum()), std::abs(r_.minimum()));
    const double cells = static_cast<double>(product(grid.cells()));
    require(std::abs(r_.sum()) <= 1e-9 * cells * most, "there is no steady state",
            "no side holds a temperature and more heat is released than flows out",
            "hold the temperature of a side or balance the sources");
  }
}

template <int Components, class Layout>
void SteadyState<Components, Layout>::add_method(Program& start, const Model& model) {
  const auto add = [&](const auto& method) {
    method.add_start(start);
    method.add_iteration(step_);
    residual = method.residual();
  };
  Grid grid(u.grid());
  if constexpr (Components == 1 && std::is_same_v<Layout, ijk>) {
    if (model.solver == Solver::multigrid) {
      Field<double> correction(grid, "correction");
      correction.boundary(r_.record()->boundary.front());
      const Multigrid<double> multigrid(correction, r_, medium.x, medium.y, medium.z,
                                        {.bottom = MultigridBottom::conjugate_gradients,
                                         .coarsest = 8,
                                         .conductances_hold_h2 = true});
      multigrid.add_setup(start);
      return add(FlexibleConjugateGradients(u, multigrid.preconditioner(), Outflow{}, medium.x,
                                            medium.y, medium.z));
    }
  }
  Field<double, 1, Layout> inverse_diagonal(grid, "inverse_diagonal");
  inverse_diagonal.boundary(closed(model.boundary));
  start.apply(InvertDiagonal{}, in(medium.x), in(medium.y), in(medium.z), out(inverse_diagonal));
  add(ConjugateGradients(u, r_, inverse_diagonal, Outflow{}, medium.x, medium.y, medium.z));
}

template class SteadyState<1, ijk>;
template class SteadyState<3, ijk>;
template class SteadyState<1, kij>;
template class SteadyState<3, kij>;

}  // namespace goban::heat
