// How a flow begins: its fields, what they hold, and no divergence.

#include <cmath>
#include <span>

#include <fmt/format.h>

#include "flow/regions.hpp"
#include "flow/step_visits.hpp"
#include "goban/cases/profile_rows.hpp"
#include "goban/grid/each_cell.hpp"

namespace goban::flow {
namespace detail {

template <int D, class T>
std::vector<Field<T>> velocity_fields(Grid& grid, const Model& model, StageTimes& times,
                                      const std::string& prefix) {
  return face_fields<T>(grid, prefix, std::span(all_axes).template first<D>(),
                        [&](Axis axis) { return times.follow(model.velocity_boundary(axis)); });
}

template <class T>
std::vector<Field<T>> scalar_fields(Grid& grid, const Model& model, StageTimes& times,
                                    const std::string& suffix) {
  std::vector<Field<T>> fields;
  for (const Scalar& scalar : model.scalars) {
    const BoundarySet boundary = times.follow(scalar.boundary);
    fields.emplace_back(grid, scalar.name + suffix, FieldOptions{.boundary = &boundary});
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
    : faces(detail::velocity_fields<D, T>(grid, model, times_, "velocity_")),
      scalars(detail::scalar_fields<T>(grid, model, times_, "")),
      type(detail::type_field(grid, model)),
      velocity(grid, "velocity"),
      vorticity(grid, "vorticity"),
      pressure(grid, "pressure"),
      grid_(grid),
      model_(model),
      rates_(detail::velocity_fields<D, T>(grid, model, times_, "rate_")),
      next_(detail::velocity_fields<D, T>(grid, model, times_, "next_")),
      scalar_rates_(detail::scalar_fields<T>(grid, model, times_, "_rate")),
      next_scalars_(detail::scalar_fields<T>(grid, model, times_, "_next")),
      projection_(grid, model.pressure, type, !model.solids.empty(), model.pressure_boundary()) {
  for (std::size_t a = 0; a < D; ++a) {
    const char axis = "xyz"[a];
    acceleration_.push_back(times_.follow<T>(std::string("acceleration_") + axis,
                                             model.acceleration[a], Moment::begin));
    velocity_sums.emplace_back(std::string("sum_of_velocity_") + axis);
  }
  for (const FlowPlane& plane : model.planes) flow_rates.emplace_back("flow_rate_" + plane.name);
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
  declare_sides();
  for (const Source& source : model.sources) {
    const std::string name = fmt::format("source_{}", sources_.size() + 1);
    sources_.push_back({source.scalar, Field<T>(grid, name),
                        times_.follow<T>(name + "_now", source.value, Moment::begin)});
  }
  fill(model);
  begin();
}

/// Inflows and pressures.
template <int D, class T>
void FlowStep<D, T>::declare_sides() {
  for (std::size_t a = 0; a < D; ++a) {
    for (const Side side : both_sides) {
      const auto s = static_cast<std::size_t>(index_of(side));
      const std::string name = fmt::format("{}_{}", s == 0 ? "low" : "high", "xyz"[a]);
      if (model_.edges[a][s] == Edge::inflow) {
        const TimeValue speed = model_.inflow(a, s)[a];
        Inflow inflow{a, side, speed, times_.follow<T>("inflow_" + name, speed, Moment::end)};
        for (std::size_t b = 0; b < 3; ++b) inflow.is_parabolic[b] = model_.is_parabolic(b);
        inflows_.push_back(inflow);
      }
      if (model_.edges[a][s] == Edge::pressure) {
        const TimeValue over_density = model_.side_pressure[a][s].times(1 / model_.density);
        pressures_.push_back({a, side,
                              times_.follow<T>("pressure_" + name, over_density, Moment::middle),
                              Parameter<T>("push_" + name)});
      }
    }
  }
}

template <int D, class T>
void FlowStep<D, T>::fill(const Model& model) {
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
        const auto in = [&](const TimeValue3& velocity) {
          return velocity[a].at(0) * model.inflow_profile(row.position(i), state());
        };
        const std::size_t side = at == 0 ? 0 : 1;
        const bool is_end = at == 0 || at == state().cells[a];
        if (is_end && model.edges[a][side] == Edge::inflow) {
          values[i] = in(model.inflow(a, side));
        } else if (has_inflow) {
          values[i] += in(model.any_inflow());
        }
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
          const Position at = state().position(cell, Location::cell);
          const double length = solid.covers(cell, at) ? 0 : model.mixing_length(at, state());
          return static_cast<T>(length * length);
        },
        solid.prepare());
  }
  for (std::size_t n = 0; n < sources_.size(); ++n) {
    ProfileRows rows({model.sources[n].shape}, 0);
    const BoxFunction show_shape = rows.prepare(), show_solids = solid.prepare();
    sources_[n].shape.fill(
        [&](const CellRow& row, double* values) {
          rows.sum(row, values);
          for (Index i = 0; i < row.count; ++i) {
            if (solid.covers(row.index(i), row.position(i))) values[i] = 0;
          }
        },
        [&](const Box& box) {
          if (show_shape) show_shape(box);
          if (show_solids) show_solids(box);
        });
  }
  if (!type) return;
  type->fill(
      [&](Index3 cell) {
        return solid.covers(cell, state().position(cell, Location::cell)) ? cell::solid
                                                                          : cell::fluid;
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
    for (std::size_t a = 0; a < D; ++a) {
      start.apply(RestAtSolids{all_axes[a]}, in(*type), inout(faces[a]));
    }
  }
  if (!start.stages().empty()) Engine(start).run(1, clock);
  if (type) {
    measure_sides();
    check_sides();
  }
  inflow_.set(inflow_at(0));
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
  try {
    Engine(project).run(1, clock);
  } catch (const Error& error) {
    if (error.code() == ExitCode::diverged && type)
      check_regions(type->copy_out(), model_, state());
    throw;
  }
  projection_.phi.fill(0);
}

/// Their areas where they lie at fluid.
template <int D, class T>
void FlowStep<D, T>::measure_sides() {
  const Real3 h = state().spacing;
  SolidCells solid(model_.solids);
  const auto integral = [&](std::size_t a, Side side, const auto& value) {
    const double of_face = h[0] * h[1] * h[2] / h[a];
    const Box layer = end_of(cells(), static_cast<int>(a), side);
    double sum = 0;
    solid.show(layer);
    each_cell(layer, [&](Index3 cell) {
      const Position center = state().position(cell, Location::cell);
      if (!solid.covers(cell, center)) sum += of_face * value(center);
    });
    return sum;
  };
  for (Inflow& inflow : inflows_) {
    const double inward = inflow.side == Side::low ? 1 : -1;
    inflow.area = integral(inflow.axis, inflow.side, [&](Position center) {
      return inward * model_.inflow_profile(center, state());
    });
  }
  each_side(Edge::outflow, [&](std::size_t a, Side side) {
    outflow_area_ += integral(a, side, [](Position) { return 1.0; });
  });
}

template <int D, class T>
double FlowStep<D, T>::inflow_at(double time) const {
  double sum = 0;
  for (const Inflow& inflow : inflows_) sum += inflow.area * inflow.speed.at(time);
  return sum;
}

/// What enters can leave.
template <int D, class T>
void FlowStep<D, T>::check_sides() const {
  double through = 0;
  bool varies = false;
  for (const Inflow& inflow : inflows_) {
    through += std::abs(inflow.area * inflow.speed.at(0));
    varies = varies || inflow.speed.varies();
  }
  const bool has_way_out = outflow_area_ > 0 || !pressures_.empty();
  require(has_way_out || (!varies && std::abs(inflow_at(0)) <= 1e-12 * through),
          "what flows in has no way out",
          varies
              ? "an inflow varies and no other side lets out what it lets in"
              : fmt::format("{:.3g} m3/s more enter than leave through inflow sides", inflow_at(0)),
          "make a side \"outflow\"");
  require(outflow_area_ == 0 || varies || inflow_at(0) > 0, "an outflow side is refused",
          "through inflow sides nothing enters",
          "give boundary.inflow_velocity a component into the grid");
}

template class FlowStep<2, float>;
template class FlowStep<2, double>;
template class FlowStep<3, float>;
template class FlowStep<3, double>;

}  // namespace goban::flow
