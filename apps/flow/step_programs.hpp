#pragma once
// What FlowStep does; the sources step_*.cpp share it among them, dimensions and a precision each.

#include <cmath>

#include <fmt/format.h>

#include "flow/measures.hpp"
#include "flow/step.hpp"
#include "goban/cases/profile_rows.hpp"
#include "goban/goban.hpp"
#include "goban/grid/each_cell.hpp"
#include "goban/stencil/curl.hpp"

namespace goban::flow {
namespace detail {

template <class T>
std::vector<Field<T>> face_fields(Grid& grid, const Model& model, const std::string& name) {
  constexpr std::array locations = {Location::face_x, Location::face_y, Location::face_z};
  std::vector<Field<T>> fields;
  for (std::size_t a = 0; a < static_cast<std::size_t>(model.dimensions); ++a) {
    const BoundarySet boundary = model.velocity_boundary(all_axes[a]);
    fields.emplace_back(
        grid, name + "xyz" [a], FieldOptions { .location = locations[a], .boundary = &boundary });
  }
  return fields;
}

template <class T>
std::vector<Field<T>> scalar_fields(Grid& grid, const Model& model, const std::string& suffix) {
  std::vector<Field<T>> fields;
  for (const Scalar& scalar : model.scalars) {
    fields.emplace_back(grid, scalar.name + suffix, FieldOptions{.boundary = &scalar.boundary});
  }
  return fields;
}

}  // namespace detail

template <int D, class T>
FlowStep<D, T>::FlowStep(Grid& grid, const Model& model)
    : faces(detail::face_fields<T>(grid, model, "velocity_")),
      scalars(detail::scalar_fields<T>(grid, model, "")),
      velocity(grid, "velocity"),
      vorticity(grid, "vorticity"),
      pressure(grid, "pressure"),
      grid_(grid),
      model_(model),
      rates_(detail::face_fields<T>(grid, model, "rate_")),
      next_(detail::face_fields<T>(grid, model, "next_")),
      scalar_rates_(detail::scalar_fields<T>(grid, model, "_rate")),
      next_scalars_(detail::scalar_fields<T>(grid, model, "_next")),
      phi_(grid, "phi"),
      older_(grid, "older_phi"),
      imbalance_(grid, "imbalance") {
  for (std::size_t n = 0; n < model.scalars.size(); ++n) {
    if (model.scalars[n].expansion != 0) buoyant_.push_back(n);
    const std::string name = "across_" + model.scalars[n].name;
    const auto sides = [&](char axis) {
      return std::array{Parameter<double>(name + "_low_" + axis),
                        Parameter<double>(name + "_high_" + axis)};
    };
    across.push_back({sides('x'), sides('y'), sides('z')});
  }
  if (buoyant_.size() > 1) lightness_.emplace(grid, "lightness");
  if (model.has_types()) {
    type.emplace(grid, "type");
    type->boundary(model.type_boundary());
    constexpr std::array locations = {Location::face_x, Location::face_y, Location::face_z};
    for (std::size_t a = 0; a < 3; ++a) {
      conductances_.emplace_back(
          grid, std::string("conductance_") + "xyz" [a], FieldOptions { .location = locations[a] });
    }
  }
  if (model.smagorinsky > 0) {
    squared_mixing_length_.emplace(grid, "squared_mixing_length");
    subgrid.emplace(grid, "subgrid_viscosity");
    subgrid->boundary(model.subgrid_boundary());
  }
  for (std::size_t a = 0; a < D && !model.solids.empty(); ++a) {
    push.emplace_back(std::string("push_") + "xyz"[a]);
  }
  solver_ = make_pressure_solver(model.pressure, phi_, imbalance_, conductances_);
  if (model.dt) dt.set(*model.dt);
  fill(model);
  begin();
}

template <int D, class T>
void FlowStep<D, T>::fill(const Model& model) {
  const GridState& state = *grid_.state();
  const auto sum_terms = [&](Field<T>& field, const auto& more) {
    std::vector<Profile> profiles;
    bool has_inflow = false;
    for (const Term& term : model.initial) {
      if (term.field != field.name()) continue;
      if (term.is_inflow) {
        has_inflow = true;
      } else {
        profiles.push_back(term.profile);
      }
    }
    ProfileRows rows(profiles, 0);
    const auto value = [&](const CellRow& row, double* values) {
      rows.sum(row, values);
      more(row, values, has_inflow);
    };
    field.fill(value, rows.prepare());
  };
  for (Field<T>& scalar : scalars) sum_terms(scalar, [](const CellRow&, double*, bool) {});
  for (std::size_t a = 0; a < D; ++a) {
    sum_terms(faces[a], [&](const CellRow& row, double* values, bool has_inflow) {
      for (Index i = 0; i < row.count; ++i) {
        const Index at = row.index(i)[a];
        const bool enters = (at == 0 && model.edges[a][0] == Edge::inflow) ||
                            (at == state.cells[a] && model.edges[a][1] == Edge::inflow);
        const double in = model.inflow_velocity[a] * model.inflow_profile(row.position(i), state);
        if (enters) values[i] = in;
        if (!enters && has_inflow) values[i] += in;
      }
    });
  }
  for (auto* fields : {&rates_, &scalar_rates_}) {
    for (Field<T>& field : *fields) field.fill(0);
  }
  for (auto* field : {&phi_, &older_}) field->fill(0);
  SolidCells solid(model.solids);
  if (subgrid) {
    subgrid->fill(0);
    squared_mixing_length_->fill(
        [&](Index3 cell) {
          const Position at = state.position(cell, Location::cell);
          const double length = solid.covers(cell, at) ? 0 : model.mixing_length(at, state);
          return static_cast<T>(length * length);
        },
        solid.prepare());
  }
  if (!type) return;
  type->fill(
      [&](Index3 cell) {
        return solid.covers(cell, state.position(cell, Location::cell)) ? cell::solid : cell::fluid;
      },
      solid.prepare());
}

/// Rest in solids, flows through sides that balance, no divergence.
template <int D, class T>
void FlowStep<D, T>::begin() {
  StepClock clock;
  if (type) {
    Program start("start");
    start.apply(Conduct{}, in(*type), out(conductances_[0]), out(conductances_[1]),
                out(conductances_[2]));
    unroll<D>(
        [&](auto a) { start.apply(RestAtSolids<all_axes[a]>{}, in(*type), inout(faces[a])); });
    solver_->add_setup(start);
    Engine(start).run(1, clock);
    const auto [area, inflow] = area_and_inflow(Edge::inflow);
    inflow_ = inflow;
    outflow_area_ = area_and_inflow(Edge::outflow)[0];
    require(outflow_area_ > 0 || std::abs(inflow_) <= 1e-12 * area * model_.speed,
            "what flows in has no way out",
            fmt::format("{:.3g} m3/s more enter than leave through inflow sides", inflow_),
            "make a side \"outflow\"");
    require(outflow_area_ == 0 || inflow_ > 0, "an outflow side is refused",
            "through inflow sides nothing enters",
            "give boundary.inflow_velocity a component into the grid");
  }
  if (!model_.dt) {
    Engine(rate()).run(1, clock);
    dt.set(model_.time_step(courant_rate.value(), grid_.spacing(), largest_subgrid.value()));
  }
  length_.set(dt.value());
  per_length_.set(1 / dt.value());
  Program project("project");
  with_faces(faces, [&](const auto&... u) {
    with_faces(next_,
               [&](const auto&... next) { ((void)project.apply(Copy{}, in(u), out(next)), ...); });
  });
  add_sides(project, true);
  add_projection(project);
  Engine(project).run(1, clock);
  phi_.fill(0);
}

template <int D, class T>
template <class Visit>
void FlowStep<D, T>::with_faces(const std::vector<Field<T>>& fields, const Visit& visit) const {
  [&]<std::size_t... I>(std::index_sequence<I...>) { visit(fields[I]...); }
  (std::make_index_sequence<D>{});
}

/// Visits without arguments where cells are all alike.
template <int D, class T>
template <class Visit>
void FlowStep<D, T>::with_type(const Visit& visit) const {
  if (type) return visit(in(*type));
  visit();
}

template <int D, class T>
template <class Visit>
void FlowStep<D, T>::with_eddies(const Visit& visit) const {
  if (subgrid) return visit(in(*subgrid));
  visit();
}

template <int D, class T>
template <class Visit>
void FlowStep<D, T>::each_side(Edge edge, const Visit& visit) const {
  unroll<D>([&](auto a) {
    for (const Side side : both_sides) {
      if (model_.edges[a][index_of(side)] == edge) visit(a, side);
    }
  });
}

template <int D, class T>
template <class Real>
std::array<Real, 3> FlowStep<D, T>::per_h() const {
  const Real3 h = grid_.spacing();
  return {static_cast<Real>(1 / h[0]), static_cast<Real>(1 / h[1]), static_cast<Real>(1 / h[2])};
}

/// The faces of a side.
template <int D, class T>
Box FlowStep<D, T>::side_box(Axis axis, Side side) const {
  Box box = cells();
  const int a = index_of(axis);
  box.lower[a] = side == Side::low ? 0 : grid_.cells()[a];
  box.upper[a] = box.lower[a] + 1;
  return box;
}

/// The area of sides of a kind where they lie at fluid, m2, and what the inflow's profile lets in
/// through them, m3/s.
template <int D, class T>
std::array<double, 2> FlowStep<D, T>::area_and_inflow(Edge edge) const {
  const GridState& state = *grid_.state();
  const Real3 h = state.spacing;
  SolidCells solid(model_.solids);
  double area = 0, inflow = 0;
  each_side(edge, [&](auto a, Side side) {
    const double of_face = h[0] * h[1] * h[2] / h[a];
    const double inward = side == Side::low ? of_face : -of_face;
    Index3 to_cells{};
    to_cells[a] = side == Side::low ? 0 : -1;
    const Box layer = shifted(side_box(all_axes[a], side), to_cells);
    solid.show(layer);
    each_cell(layer, [&](Index3 cell) {
      const Position center = state.position(cell, Location::cell);
      if (solid.covers(cell, center)) return;
      area += of_face;
      inflow += inward * model_.inflow_velocity[a] * model_.inflow_profile(center, state);
    });
  });
  return {area, inflow};
}

template <int D, class T>
Program FlowStep<D, T>::rate() const {
  Program rate("rate");
  add_eddies(rate);
  add_rate(rate);
  return rate;
}

/// Subgrid viscosity of the velocity as it is.
template <int D, class T>
void FlowStep<D, T>::add_eddies(Program& step) const {
  if (!subgrid) return;
  with_faces(faces, [&](const auto&... u) {
    step.apply(SubgridViscosity<D, T>{per_h<T>()}, in(u)..., in(*squared_mixing_length_),
               out(*subgrid));
  });
}

template <int D, class T>
void FlowStep<D, T>::add_rate(Program& step) const {
  with_faces(faces, [&](const auto&... u) {
    step.reduce(CourantRate<D, T>{per_h<T>()}, in(u)..., maximum, into(courant_rate)).over(cells());
  });
  if (subgrid) step.reduce(Value{}, in(*subgrid), maximum, into(largest_subgrid));
}

/// dt, if it is not given: at most 1.5 times as long as the last, and so that a whole number of
/// steps reaches the limit.
template <int D, class T>
void FlowStep<D, T>::add_time_step(Program& step) const {
  if (model_.dt) return;
  add_rate(step);
  step.compute(
      [model = model_, h = grid_.spacing()](double rate, double subgrid, double limit, double& dt) {
        const double longest = std::min(model.time_step(rate, h, subgrid), 1.5 * dt);
        const double steps = std::ceil(limit / longest * (1 - 1e-12));
        dt = std::isfinite(steps) ? limit / std::max(1.0, steps) : longest;
      },
      in(courant_rate), in(largest_subgrid), in(dt_limit), inout(dt));
}

/// A stage whose rate and that of the stage before count with these weights, of the step; without
/// any they are those of AB2, in which steps may differ.
template <int D, class T>
void FlowStep<D, T>::add_stage(Program& step,
                               const std::optional<std::array<double, 2>>& weights) const {
  step.compute(
      [weights](double dt, double last, T& now, T& before, double& length) {
        const double half = last > 0 ? dt / last / 2 : 0;
        const auto [one, other] = weights ? *weights : std::array{1 + half, -half};
        now = static_cast<T>(dt * one);
        before = static_cast<T>(dt * other);
        length = dt * (one + other);
      },
      in(dt), in(last_), out(now_), out(before_), out(length_));
  step.compute(
      [](double length, double& last, double& last_but_one, double& guess_now, double& guess_before,
         double& per_length, T& short_length) {
        // phi / length^2 is linear in time.
        const double ratio = last > 0 ? length / last : 0;
        const double older = last_but_one > 0 ? length / last_but_one : 0;
        guess_now = ratio * ratio * (older > 0 ? 1 + ratio : 1);
        guess_before = -ratio * older * older;
        last_but_one = last;
        last = length;
        per_length = 1 / length;
        short_length = static_cast<T>(length);
      },
      in(length_), inout(last_), inout(last_but_one_), out(guess_now_), out(guess_before_),
      out(per_length_), out(short_length_));
  add_motion(step);
  add_transport(step);
  add_sides(step, false);
  step.apply(Extrapolate{}, in(phi_), inout(older_), param(guess_now_), param(guess_before_));
  step.swap(phi_, older_);
  add_projection(step);
}

template <int D, class T>
void FlowStep<D, T>::add_motion(Program& step) const {
  Forces<T> forces;
  for (std::size_t a = 0; a < 3; ++a) {
    forces.acceleration[a] = static_cast<T>(model_.acceleration[a]);
    forces.lift[a] = static_cast<T>(-model_.gravity[a]);
  }
  const Field<T>* buoyancy = nullptr;
  if (lightness_) {
    buoyancy = &*lightness_;
    step.apply(Clear{}, out(*lightness_));
    for (const std::size_t n : buoyant_) {
      const Scalar& scalar = model_.scalars[n];
      step.apply(
          AddLightness<T>{static_cast<T>(scalar.expansion), static_cast<T>(scalar.reference)},
          in(scalars[n]), inout(*lightness_));
    }
  } else if (!buoyant_.empty()) {
    const Scalar& scalar = model_.scalars[buoyant_.front()];
    buoyancy = &scalars[buoyant_.front()];
    for (T& lift : forces.lift) lift *= static_cast<T>(scalar.expansion);
    forces.reference = static_cast<T>(scalar.reference);
  }
  const auto accelerate = [&](auto has_scalar, const auto&... scalar) {
    with_type([&](const auto&... kind) {
      with_eddies([&](const auto&... eddies) {
        const Accelerate<D, has_scalar, sizeof...(kind) == 1, sizeof...(eddies) == 1, T> functor{
            static_cast<T>(model_.viscosity), per_h<T>(), forces};
        with_faces(faces, [&](const auto&... u) {
          with_faces(rates_, [&](const auto&... rate) {
            with_faces(next_, [&](const auto&... next) {
              step.apply(functor, in(u)..., inout(rate)..., out(next)..., in(scalar)..., kind...,
                         eddies..., param(now_), param(before_));
            });
          });
        });
      });
    });
  };
  if (buoyancy) {
    accelerate(std::true_type{}, *buoyancy);
  } else {
    accelerate(std::false_type{});
  }
}

template <int D, class T>
void FlowStep<D, T>::add_transport(Program& step) const {
  for (std::size_t n = 0; n < scalars.size(); ++n) {
    const Scalar& scalar = model_.scalars[n];
    with_type([&](const auto&... kind) {
      with_eddies([&](const auto&... eddies) {
        const Transport<D, sizeof...(kind) == 1, sizeof...(eddies) == 1, T> functor{
            static_cast<T>(scalar.diffusivity), per_h<T>(), static_cast<T>(scalar.source),
            static_cast<T>(1 / model_.turbulent_prandtl)};
        with_faces(faces, [&](const auto&... u) {
          step.apply(functor, in(u)..., in(scalars[n]), inout(scalar_rates_[n]),
                     out(next_scalars_[n]), kind..., eddies..., param(now_), param(before_));
        });
      });
    });
    step.swap(scalars[n], next_scalars_[n]);
  }
}

/// What leaves through outflow sides: as convection has it, then as much as enters.
template <int D, class T>
void FlowStep<D, T>::add_sides(Program& step, bool is_first) const {
  if (outflow_area_ == 0) return;
  const double speed = inflow_ / outflow_area_;
  const Real3 h = grid_.spacing();
  std::vector<Parameter<double>> flows;
  std::vector<double> areas;
  each_side(Edge::outflow, [&](auto a, Side side) {
    constexpr Axis A = all_axes[a];
    const bool is_high = side == Side::high;
    const Box box = side_box(A, side);
    if (!is_first) {
      step.apply(LetOut<A, T>{is_high, static_cast<T>(speed / h[a])}, in(faces[a]), in(*type),
                 inout(next_[a]), param(short_length_))
          .over(box);
    }
    flows.emplace_back("flow_through_side");
    areas.push_back(h[0] * h[1] * h[2] / h[a]);
    step.reduce(ThroughSide<A>{is_high}, in(next_[a]), in(*type), sum, into(flows.back()))
        .over(box);
  });
  step.compute([](double& outflow) { outflow = 0; }, out(outflow_));
  for (std::size_t n = 0; n < flows.size(); ++n) {
    step.compute([area = areas[n]](double flow, double& outflow) { outflow += area * flow; },
                 in(flows[n]), inout(outflow_));
  }
  step.compute(
      [inflow = inflow_, area = outflow_area_](double outflow, T& missing) {
        missing = static_cast<T>((inflow - outflow) / area);
      },
      in(outflow_), out(missing_));
  each_side(Edge::outflow, [&](auto a, Side side) {
    constexpr Axis A = all_axes[a];
    step.apply(BalanceSide<A, T>{side == Side::high}, in(*type), inout(next_[a]), param(missing_))
        .over(side_box(A, side));
  });
}

/// Takes the divergence off the next velocity, which becomes the velocity.
template <int D, class T>
void FlowStep<D, T>::add_projection(Program& step) const {
  with_faces(next_, [&](const auto&... next) {
    step.apply(Imbalance<D>{{per_h<double>()}}, in(next)..., out(imbalance_), param(length_));
    solver_->add_solve(step);
    with_type([&](const auto&... kind) {
      const Project<D, sizeof...(kind) == 1, T> project{per_h<double>()};
      step.apply(project, inout(next)..., in(phi_), kind..., param(per_length_));
    });
  });
  for (std::size_t a = 0; a < D; ++a) step.swap(faces[a], next_[a]);
}

template <int D, class T>
Program FlowStep<D, T>::program() const {
  Program step("flow");
  add_eddies(step);
  add_time_step(step);
  if (model_.scheme == Model::Scheme::ab2) {
    add_stage(step, {});
  } else {  // Wray's coefficients
    add_stage(step, {{8.0 / 15, 0}});
    add_eddies(step);
    add_stage(step, {{5.0 / 12, -17.0 / 60}});
    add_eddies(step);
    add_stage(step, {{3.0 / 4, -5.0 / 12}});
  }
  return step;
}

template <int D, class T>
Program FlowStep<D, T>::observation() const {
  Program observe("observation");
  with_faces(faces, [&](const auto&... u) { observe.apply(Center<D>{}, in(u)..., out(velocity)); });
  const Real3 h = grid_.spacing();
  std::array<T, 3> scale;
  for (std::size_t a = 0; a < 3; ++a) scale[a] = static_cast<T>(1 / (2 * h[a]));
  observe.apply(Curl<T>{scale}, in(velocity), out(vorticity));
  add_eddies(observe);
  observe.apply(ShowPressure{model_.density}, in(phi_), out(pressure), param(per_length_));
  return observe;
}

template <int D, class T>
Program FlowStep<D, T>::balance() const {
  Program balance("balance");
  if (!push.empty()) add_eddies(balance);
  with_faces(faces, [&](const auto&... u) {
    const auto sum_up = [&](const auto& functor, Reduction reduction, const auto& target,
                            const auto&... more) {
      balance.reduce(functor, in(u)..., more..., reduction, into(target)).over(cells());
    };
    sum_up(CourantRate<D, T>{per_h<T>()}, maximum, courant_rate);
    sum_up(AbsoluteDivergence<D>{{per_h<double>()}}, maximum, divergence);
    sum_up(KineticEnergy<D>{}, sum, kinetic_energy);
    sum_up(Shear<D, T>{per_h<T>()}, sum, shear);
    if (subgrid) {
      sum_up(SubgridDissipation<D, T>{per_h<T>()}, sum, to_eddies, in(*squared_mixing_length_));
    }
    if (push.empty()) return;
    with_eddies([&](const auto&... eddies) {
      unroll<D>([&](auto a) {
        const PushSolid<all_axes[a], D, T> functor{static_cast<T>(model_.viscosity), per_h<T>()};
        sum_up(functor, sum, push[a], in(phi_), in(*type), param(per_length_), eddies...);
      });
    });
  });
  for (std::size_t n = 0; n < scalars.size(); ++n) {
    unroll<D>([&](auto a) {
      for (const Side side : both_sides) {
        if (model_.edges[a][0] == Edge::periodic) continue;
        Box box = cells();
        if (side == Side::low) {
          box.upper[a] = 1;
        } else {
          box.lower[a] = box.upper[a] - 1;
        }
        balance
            .reduce(AcrossSide<all_axes[a]>{side == Side::high}, in(scalars[n]), sum,
                    into(across[n][a][index_of(side)]))
            .over(box);
      }
    });
  }
  return balance;
}

}  // namespace goban::flow
