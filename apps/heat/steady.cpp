#include "heat/steady.hpp"

#include <cmath>

#include "goban/goban.hpp"
#include "heat/profile_rows.hpp"
#include "heat/stencils.hpp"

namespace goban::heat {
namespace {

/// One parameter per component: name_x, name_y, name_z.
template <int Components>
std::array<Parameter<double>, Components> parameters(const std::string& name) {
  if constexpr (Components == 1) {
    return {Parameter<double>(name)};
  } else {
    return {Parameter<double>(name + "_x"), Parameter<double>(name + "_y"),
            Parameter<double>(name + "_z")};
  }
}

/// What differences of two solutions fulfil at the ends.
BoundarySet homogeneous(const BoundarySet& boundary) {
  using Kind = BoundaryCondition::Kind;
  BoundarySet ends = boundary;
  for (auto& axis : ends.sides) {
    for (auto& side : axis) {
      side.value = 0;
      if (side.kind == Kind::gradient) side = mirror;
    }
  }
  return ends;
}

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
      first(parameters<Components>("first_residual")),
      r_(grid, "imbalance"),
      p_(grid, "direction"),
      inverse_diagonal_(grid, "inverse_diagonal") {
  const BoundarySet ends = homogeneous(model.boundary);
  u.boundary(model.boundary);
  r_.boundary(ends);
  p_.boundary(ends);
  inverse_diagonal_.boundary(closed(model.boundary));
  begin(grid, model);
}

template <int Components, class Layout>
void SteadyState<Components, Layout>::begin(Grid& grid, const Model& model) {
  Program start("start");
  start.apply(InvertDiagonal{}, in(medium.x), in(medium.y), in(medium.z), out(inverse_diagonal_));
  if constexpr (Components == 1) {
    fill_with_sum(u, model.initial);
    fill_with_sum(r_, model.sources);
    start.apply(AddInflow{}, in(u), in(medium.x), in(medium.y), in(medium.z), inout(r_));
  } else {
    u.fill(0.0);
    start.apply(UnitGradients{grid.spacing()}, in(medium.x), in(medium.y), in(medium.z), out(r_));
  }
  p_.fill(0.0);
  const auto beta = parameters<Components>("beta");
  unroll<Components>([&](auto c) {
    start.reduce(WeightedSquare<c>{}, in(r_), in(inverse_diagonal_), goban::sum, into(first[c]));
  });
  std::apply(
      [&](const auto&... keep) {
        start.apply(Turn<Components>{}, in(r_), in(inverse_diagonal_), inout(p_), param(keep)...);
      },
      beta);
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
Program SteadyState<Components, Layout>::program() const {
  const auto curvature = parameters<Components>("curvature");
  const auto before = parameters<Components>("before"), after = parameters<Components>("after");
  const auto alpha = parameters<Components>("alpha"), beta = parameters<Components>("beta");
  Program step("steady");
  unroll<Components>([&](auto c) {
    step.reduce(Curvature<c>{}, in(p_), in(medium.x), in(medium.y), in(medium.z), goban::sum,
                into(curvature[c]));
    step.reduce(WeightedSquare<c>{}, in(r_), in(inverse_diagonal_), goban::sum, into(before[c]));
    step.compute([](double r2, double pap, double& a) { a = pap > 0 ? r2 / pap : 0; },
                 in(before[c]), in(curvature[c]), out(alpha[c]));
  });
  std::apply(
      [&](const auto&... a) {
        step.apply(Advance<Components>{}, in(p_), in(medium.x), in(medium.y), in(medium.z),
                   inout(u), inout(r_), param(a)...);
      },
      alpha);
  step.compute([](double& relative) { relative = 0; }, out(residual));
  unroll<Components>([&](auto c) {
    step.reduce(WeightedSquare<c>{}, in(r_), in(inverse_diagonal_), goban::sum, into(after[c]));
    step.compute(
        [](double old, double now, double first_one, double& b, double& relative) {
          b = old > 0 ? now / old : 0;
          if (first_one > 0) relative = std::max(relative, std::sqrt(now / first_one));
        },
        in(before[c]), in(after[c]), in(first[c]), out(beta[c]), inout(residual));
  });
  std::apply(
      [&](const auto&... b) {
        step.apply(Turn<Components>{}, in(r_), in(inverse_diagonal_), inout(p_), param(b)...);
      },
      beta);
  return step;
}

template class SteadyState<1, ijk>;
template class SteadyState<3, ijk>;
template class SteadyState<1, kij>;
template class SteadyState<3, kij>;

}  // namespace goban::heat
