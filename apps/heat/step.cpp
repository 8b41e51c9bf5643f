#include "heat/step.hpp"
#include "goban/cases/profile_rows.hpp"
#include "goban/goban.hpp"
#include "heat/conductances.hpp"
#include "heat/stencils.hpp"

namespace goban::heat {
namespace detail {

/// Calls visit with the order as a constant.
template <class Visit>
void with_order(int order, Visit&& visit) {
  switch (order) {
    case 2: return visit(std::integral_constant<int, 2>{});
    case 4: return visit(std::integral_constant<int, 4>{});
    case 6: return visit(std::integral_constant<int, 6>{});
    case 8: return visit(std::integral_constant<int, 8>{});
    default:
      throw Error(ExitCode::usage, "order " + std::to_string(order) + " is refused",
                  "finite differences have order 2, 4, 6 or 8");
  }
}

}  // namespace detail

template <class T, class Layout>
ExplicitStep<T, Layout>::ExplicitStep(Grid& grid, const Model& model, double dt)
    : u(grid, "temperature"),
      next_(grid, "next"),
      order_(model.order),
      alpha_dt_(model.medium.diffusivity() * dt),
      spacing_(grid.spacing()) {
  u.boundary(model.boundary);
  next_.boundary(model.boundary);
  fill_with_sum(u, model.initial);
  const double heating = dt / model.medium.heat_capacity;
  if (!model.sources.empty()) {
    heating_.emplace(grid, "heating");
    heating_->boundary(closed(model.boundary));
    fill_with_sum(*heating_, model.sources, heating);
  }
  for (const auto& source : model.varying_sources) {
    const std::string number = std::to_string(varying_.size() + 1);
    Field<T, 1, Layout> where(grid, "source_" + number);
    where.boundary(closed(model.boundary));
    fill_with_sum(where, {source.shape});
    varying_.push_back({where, source.power.times(heating), Parameter<Real>("heating_" + number)});
  }
  if (model.has_conductances()) {
    Real3 scale;
    for (std::size_t a = 0; a < 3; ++a) scale[a] = heating / (spacing_[a] * spacing_[a]);
    medium.emplace(grid, model, scale);
  }
  if (!model.medium.has_one_capacity()) fill_ease(grid, model);
}

template <class T, class Layout>
void ExplicitStep<T, Layout>::fill_ease(Grid& grid, const Model& model) {
  const Medium& m = model.medium;
  ease_.emplace(grid, "ease");
  ease_->boundary(closed(model.boundary));
  fill_with_medium(*ease_, m.heat_capacity, m.capacity_image, m.capacities,
                   [of_matrix = m.heat_capacity](double c) { return of_matrix / c; });
  Program weigh("weigh");
  if (heating_) weigh.apply(Ease{}, in(*ease_), inout(*heating_));
  for (const auto& source : varying_) weigh.apply(Ease{}, in(*ease_), inout(source.where));
  if (weigh.stages().empty()) return;
  StepClock clock;
  Engine(weigh).run(1, clock);
}

template <class T, class Layout>
template <class Functor, class... Inputs>
void ExplicitStep<T, Layout>::sweep(Program& step, const Functor& functor,
                                    const Inputs&... inputs) const {
  if (heating_) {
    step.apply(functor, in(inputs)..., in(*heating_), out(next_));
  } else {
    step.apply(functor, in(inputs)..., out(next_));
  }
}

template <class T, class Layout>
Program ExplicitStep<T, Layout>::program() const {
  Program step("heat");
  for (const auto& [where, heating, now] : varying_) step.follow(now, heating);
  if (ease_) {
    sweep(step, ConductUnevenly{}, u, medium->x, medium->y, medium->z, *ease_);
  } else if (medium) {
    sweep(step, Conduct{}, u, medium->x, medium->y, medium->z);
  } else {
    detail::with_order(order_, [&](auto order) {
      sweep(step, Diffuse<order, ArithmeticOf<T>>::with(alpha_dt_, spacing_), u);
    });
  }
  for (const auto& [where, heating, now] : varying_) {
    step.apply(Release{}, in(where), param(now), inout(next_));
  }
  step.swap(u, next_);
  return step;
}

template <class T, class Layout>
Program ExplicitStep<T, Layout>::balance() const {
  Program balance("balance");
  if (u.record()->boundary.front().is_timed()) {
    balance.follow(now, [](double time) { return time; });
  }
  if (ease_) balance.reduce(Content{}, in(u), in(*ease_), goban::sum, into(content_));
  return balance;
}

template class ExplicitStep<float, ijk>;
template class ExplicitStep<double, ijk>;
template class ExplicitStep<half, ijk>;
template class ExplicitStep<float, kij>;
template class ExplicitStep<double, kij>;
template class ExplicitStep<half, kij>;

}  // namespace goban::heat
