#pragma once
// How a flow begins: its fields, what they hold, and no divergence.

#include <cmath>
#include <span>

#include <fmt/format.h>

#include "flow/step_visits.hpp"
#include "goban/cases/profile_rows.hpp"
#include "goban/grid/each_cell.hpp"

namespace goban::flow {
namespace detail {

template <int D, class T>
std::vector<Field<T>> velocity_fields(Grid& grid, const Model& model, const std::string& prefix) {
  return face_fields<T>(grid, prefix, std::span(all_axes).template first<D>(),
                        [&](Axis axis) { return model.velocity_boundary(axis); });
}

template <class T>
std::vector<Field<T>> scalar_fields(Grid& grid, const Model& model, const std::string& suffix) {
  std::vector<Field<T>> fields;
  for (const Scalar& scalar : model.scalars) {
    fields.emplace_back(grid, scalar.name + suffix, FieldOptions{.boundary = &scalar.boundary});
  }
  return fields;
}

inline std::optional<Field<std::uint8_t>> type_field(Grid& grid, const Model& model) {
  if (!model.has_types()) return {};
  const BoundarySet boundary = model.type_boundary();
  return Field<std::uint8_t>(grid, "type", {.boundary = &boundary});
}

}  // namespace detail

template <int D, class T>
FlowStep<D, T>::FlowStep(Grid& grid, const Model& model)
    : faces(detail::velocity_fields<D, T>(grid, model, "velocity_")),
      scalars(detail::scalar_fields<T>(grid, model, "")),
      type(detail::type_field(grid, model)),
      velocity(grid, "velocity"),
      vorticity(grid, "vorticity"),
      pressure(grid, "pressure"),
      grid_(grid),
      model_(model),
      rates_(detail::velocity_fields<D, T>(grid, model, "rate_")),
      next_(detail::velocity_fields<D, T>(grid, model, "next_")),
      scalar_rates_(detail::scalar_fields<T>(grid, model, "_rate")),
      next_scalars_(detail::scalar_fields<T>(grid, model, "_next")),
      projection_(grid, model.pressure, type, !model.solids.empty()) {
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
  for (std::size_t a = 0; a < D && !model.solids.empty(); ++a) {
    push.emplace_back(std::string("push_") + "xyz"[a]);
  }
  if (model.smagorinsky > 0) {
    squared_mixing_length_.emplace(grid, "squared_mixing_length");
    subgrid.emplace(grid, "subgrid_viscosity");
    subgrid->boundary(model.subgrid_boundary());
  }
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
  Program start("start");
  projection_.add_setup(start);
  if (type) {
    unroll<D>(
        [&](auto a) { start.apply(RestAtSolids<all_axes[a]>{}, in(*type), inout(faces[a])); });
  }
  if (!start.stages().empty()) Engine(start).run(1, clock);
  if (type) {
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
  projection_.length.set(dt.value());
  projection_.per_length.set(1 / dt.value());
  Program project("project");
  with_faces(faces, [&](const auto&... u) {
    with_faces(next_,
               [&](const auto&... next) { ((void)project.apply(Copy{}, in(u), out(next)), ...); });
  });
  add_sides(project, true);
  add_projection(project);
  Engine(project).run(1, clock);
  projection_.phi.fill(0);
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
    const Box layer = end_of(cells(), a, side);
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

}  // namespace goban::flow
