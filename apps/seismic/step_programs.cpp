// WaveStep but for the sweeps that depend on the order of differences and for attenuation.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "goban/field/face_fields.hpp"
#include "goban/goban.hpp"
#include "seismic/absorber.hpp"
#include "seismic/injection.hpp"
#include "seismic/stencils.hpp"
#include "seismic/step.hpp"

namespace goban::seismic {
namespace detail {

/// What lies beyond the ends that are not periodic.
inline BoundarySet ends(const Model& model, const BoundaryCondition& condition) {
  return conditions_at(model.edges, [&](auto, Edge) { return condition; });
}

/// Where the stress s_AB lives; A and B differ.
inline Location edge_of(Axis a, Axis b) {
  constexpr std::array edges = {Location::edge_x, Location::edge_y, Location::edge_z};
  return edges[static_cast<std::size_t>(3 - index_of(a) - index_of(b))];
}

template <int Dimensions, class T>
std::vector<Field<T>> velocity_fields(Grid& grid, const std::string& name,
                                      const BoundarySet& boundary) {
  std::array<Axis, Dimensions> axes;
  for (int n = 0; n < Dimensions; ++n) axes[n] = axis_of_component<Dimensions>(n);
  return face_fields<T>(grid, name, axes, [&](Axis) { return boundary; });
}

template <int Dimensions, class T>
std::vector<Field<T>> shear_fields(Grid& grid, const BoundarySet& boundary) {
  std::vector<Field<T>> fields;
  for (const Axis a : all_axes) {
    for (const Axis b : all_axes) {
      if (b <= a || (Dimensions == 2 && (a == Axis::y || b == Axis::y))) continue;
      fields.emplace_back(
          grid, std::string("shear_") + "xyz"[index_of(a)] + "xyz" [index_of(b)],
          FieldOptions { .location = edge_of(a, b), .boundary = &boundary });
    }
  }
  return fields;
}

/// Spreads a point `place` cells from the lower end of an axis. `order`: that of the differences at
/// a free surface that a force acts near to; 0: there is none. On short periodic axes several
/// values are the same one.
template <class Real>
void spread_along(SpreadAlong<Real>& along, double place, Index cells, bool wraps, int order) {
  const auto shift = [&](double at, Index count) {  // far from both ends nothing is one-sided
    Weights weights = weights_at(wraps ? at - std::floor(at) + 1 : at, wraps ? 4 : count);
    if (wraps) weights.first += static_cast<Index>(std::floor(at)) - 1;
    return weights;
  };
  const Weights face = shift(place, cells + 1), cell = shift(place - 0.5, cells);
  const Index first = std::min(face.first, cell.first);
  for (std::size_t n = 0; n < along.index.size(); ++n) {
    const Index k = first + static_cast<Index>(n);
    along.index[n] = static_cast<std::int32_t>(wraps ? (k % cells + cells) % cells : k);
    const auto of = [&](const Weights& weights) {
      const Index i = k - weights.first;
      return i < 0 || i >= std::ssize(weights.of) ? 0 : weights.of[static_cast<std::size_t>(i)];
    };
    along.face[n] = static_cast<Real>(of(face) / (order > 0 ? mass_of_face(k, order) : 1));
    along.cell[n] = static_cast<Real>(of(cell) / (order > 0 ? mass_of_cell(k, order) : 1));
    for (std::size_t m = 0; m < n; ++m) {
      if (along.index[m] != along.index[n]) continue;
      along.face[m] += along.face[n];
      along.cell[m] += along.cell[n];
      along.index[n] = -1;
      break;
    }
  }
}

/// Calls visit with the order as a constant.
template <class Visit>
void with_order(int order, Visit&& visit) {
  if (order == 2) return visit(std::integral_constant<int, 2>{});
  if (order == 8) return visit(std::integral_constant<int, 8>{});
  visit(std::integral_constant<int, 4>{});
}

}  // namespace detail

template <int Dimensions, class T>
WaveStep<Dimensions, T>::WaveStep(Grid& grid, const Model& model, double fastest, double dt)
    : velocity(detail::velocity_fields<Dimensions, T>(grid, "velocity_",
                                                      detail::ends(model, constant(0)))),
      normal(grid, "normal_stress"),
      shear(detail::shear_fields<Dimensions, T>(grid, detail::ends(model, constant(0)))),
      density(grid, "density"),
      lambda(grid, "lambda"),
      compliance(grid, "shear_compliance"),
      motion("motion_energy"),
      strain("strain_energy"),
      grid_(grid),
      model_(model),
      dt_(dt),
      vp_(fastest),
      steps_done_("steps_done") {
  normal.boundary(detail::ends(model, constant(0)));
  for (auto* rock : {&density, &lambda, &compliance}) rock->boundary(detail::ends(model, mirror));
  if (model.has_surface()) {  // no shear stress at the surface of a vacuum
    compliance.boundary(Axis::z, Side::low, constant(std::numeric_limits<double>::infinity()));
  }
  for (std::size_t a = 0; a < 3; ++a) {
    const bool absorbs =
        model.absorbs(all_axes[a], Side::low) || model.absorbs(all_axes[a], Side::high);
    if (absorbs && model.absorber.kind == Absorber::Kind::pml) add_memory(all_axes[a]);
  }
  if (model.peak_velocity) {
    peak.emplace(grid, "peak_velocity");
    peak->boundary(detail::ends(model, constant(0)));
  }
  if (model.displacement) {
    displacement = detail::velocity_fields<Dimensions, T>(grid, "displacement_",
                                                          detail::ends(model, constant(0)));
  }
  for (std::size_t n = 0; n < model.sources.size(); ++n) {
    amplitudes_.emplace_back("amplitude_" + std::to_string(n + 1));
  }
  if (model.band) add_losses(*model.band);
  fill_rock();
  if (model.start) fill_wave(*model.start);
  if (!model.start_fields.empty()) fill_start();
}

/// Like the fields whose derivatives they follow, the axis first.
template <int Dimensions, class T>
void WaveStep<Dimensions, T>::add_memory(Axis axis) {
  Memory memory;
  const std::string suffix = std::string("_memory_") + "xyz"[index_of(axis)];
  auto add = [&](std::vector<Field<T>>& list, const Field<T>& like) {
    list.emplace_back(like, like.name() + suffix);
  };
  const auto component = [](Axis a) {
    return static_cast<std::size_t>(component_of_axis<Dimensions>(a));
  };
  add(memory.velocity, velocity[component(axis)]);
  memory.stress.emplace_back(density, normal.name() + suffix);
  memory.stress.back().boundary(detail::ends(model_, constant(0)));
  for (int n = 0; n < Dimensions; ++n) {
    const Axis other = axis_of_component<Dimensions>(n);
    if (other == axis) continue;
    add(memory.velocity, velocity[component(other)]);
    add(memory.stress, shear_of(std::min(axis, other), std::max(axis, other)));
  }
  memory_[static_cast<std::size_t>(index_of(axis))] = std::move(memory);
}

template <int Dimensions, class T>
void WaveStep<Dimensions, T>::fill_rock() {
  const Medium& medium = model_.medium;
  const GridState& state = *density.grid();
  const auto rock = [&](Index3 cell) {
    const Rock here = medium.at(cell, state.position(cell, Location::cell));
    return losses_ ? losses_->mechanisms.unrelaxed(here) : here;
  };
  density.fill([&](Index3 cell) { return rock(cell).density; }, medium.prepare());
  lambda.fill([&](Index3 cell) { return rock(cell).lambda(); }, medium.prepare());
  compliance.fill([&](Index3 cell) { return 1 / rock(cell).mu(); }, medium.prepare());
}

template <int Dimensions, class T>
void WaveStep<Dimensions, T>::fill_start() {
  const auto& files = model_.start_fields;
  for (auto* fields : {&velocity, &shear}) {
    for (Field<T>& field : *fields) {
      const auto file = files.find(field.name());
      if (file != files.end()) fill_from(field, file->second);
    }
  }
  std::vector<ImageWindow> windows;
  for (int n = 0; n < Dimensions; ++n) {
    const char axis = "xyz"[index_of(axis_of_component<Dimensions>(n))];
    const auto file = files.find(std::string("normal_") + axis + axis);
    windows.emplace_back(file != files.end() ? file->second : nullptr);
  }
  normal.fill(
      [&](Index3 cell, int n) {
        const ImageWindow& window = windows[static_cast<std::size_t>(n)];
        return window ? window.at(cell) : 0.0;
      },
      [&](const Box& box) {
        for (ImageWindow& window : windows) {
          if (window) window.show(box);
        }
      });
}

/// v = A p sin(k.x - w t), s = -(A / c|K|) (lambda (K.p) + mu (K p^T + p K^T)) sin(k.x - w t) with
/// the discrete wave vector K: both satisfy the discrete equations exactly.
template <int Dimensions, class T>
void WaveStep<Dimensions, T>::fill_wave(const PlaneWave& wave) {
  const Rock rock = model_.medium.layers.front().rock;
  const GridState& state = *density.grid();
  const double c = wave.kind == PlaneWave::Kind::p ? rock.vp : rock.vs;
  Real3 k{}, K{}, p{};
  double square = 0, along = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double length = static_cast<double>(state.cells[a]) * state.spacing[a];
    k[a] = 2 * std::numbers::pi * static_cast<double>(wave.waves[a]) / length;
    K[a] = wave_number(k[a], state.spacing[a], model_.order);
    square += K[a] * K[a];
    along += K[a] * wave.direction[a];
  }
  double norm = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    p[a] = wave.kind == PlaneWave::Kind::p ? K[a] : wave.direction[a] - along / square * K[a];
    norm += p[a] * p[a];
  }
  for (double& component : p) component /= std::sqrt(norm);
  const double w = discrete_frequency(c, k, state.spacing, dt_, model_.order);
  const auto phase = [=, origin = state.origin](Position at, double time) {
    return std::sin(k[0] * (at.x - origin[0]) + k[1] * (at.y - origin[1]) +
                    k[2] * (at.z - origin[2]) - w * time);
  };
  const auto stress = [=](Axis a, Axis b) {
    const auto i = static_cast<std::size_t>(index_of(a)), j = static_cast<std::size_t>(index_of(b));
    const double divergence = K[0] * p[0] + K[1] * p[1] + K[2] * p[2];
    return -wave.amplitude / (c * std::sqrt(square)) *
           ((i == j ? rock.lambda() * divergence : 0) + rock.mu() * (K[i] * p[j] + K[j] * p[i]));
  };
  for (int n = 0; n < Dimensions; ++n) {
    const double height =
        wave.amplitude * p[static_cast<std::size_t>(index_of(axis_of_component<Dimensions>(n)))];
    velocity[static_cast<std::size_t>(n)].fill([=](Position at) { return height * phase(at, 0); });
  }
  const double later = dt_ / 2;
  normal.fill([=](Position at, int n) {
    const Axis a = axis_of_component<Dimensions>(n);
    return stress(a, a) * phase(at, later);
  });
  for (const Axis a : all_axes) {
    for (const Axis b : all_axes) {
      if (b <= a || (Dimensions == 2 && (a == Axis::y || b == Axis::y))) continue;
      const double height = stress(a, b);
      Field<T> field = shear_of(a, b);
      field.fill([=](Position at) { return height * phase(at, later); });
    }
  }
}

template <int Dimensions, class T>
Box WaveStep<Dimensions, T>::slab(Axis axis, Index first, Index last) const {
  Box box = grid_.state()->domain(Location::node);
  box.lower[index_of(axis)] = first;
  box.upper[index_of(axis)] = last;
  return box;
}

template <int Dimensions, class T>
Box WaveStep<Dimensions, T>::layer_box(Axis axis, Side side) const {
  return goban::layer_box(grid_, axis, side, model_.absorber.width);
}

template <int Dimensions, class T>
PmlLayer<T> WaveStep<Dimensions, T>::layer(Axis axis, Side side) const {
  const Absorber& absorber = model_.absorber;
  return PmlLayer<T>::of(grid_, axis, side,
                         {absorber.width, vp_, dt_, absorber.reflection, absorber.frequency});
}

template <int Dimensions, class T>
template <Axis A>
void WaveStep<Dimensions, T>::damp(Program& step, Side side) const {
  const Absorber& absorber = model_.absorber;
  const Damp<A, T> damp{LayerDepth<T>::of(grid_, A, side, absorber.width),
                        static_cast<T>(absorber.strength * absorber.width)};
  if constexpr (Dimensions == 3) {
    step.apply(damp, site, inout(velocity[0]), inout(velocity[1]), inout(velocity[2]),
               inout(normal), inout(shear[0]), inout(shear[1]), inout(shear[2]))
        .over(layer_box(A, side));
  } else {
    step.apply(damp, site, inout(velocity[0]), inout(velocity[1]), inout(normal), inout(shear[0]))
        .over(layer_box(A, side));
  }
}

/// Computes the amplitudes of sources in this step, of forces in its middle, of moments at its end.
template <int Dimensions, class T>
void WaveStep<Dimensions, T>::add_amplitudes(Program& step) const {
  for (std::size_t n = 0; n < amplitudes_.size(); ++n) {
    const double later = model_.sources[n].force ? 0.5 : 1.0;
    step.compute([later, of = model_.sources[n].time, dt = dt_](
                     double done, double& amplitude) { amplitude = of((done + later) * dt); },
                 in(steps_done_), out(amplitudes_[n]));
  }
  if (!amplitudes_.empty()) {
    step.compute([](double& done) { done += 1; }, inout(steps_done_));
  }
}

template <int Dimensions, class T>
void WaveStep<Dimensions, T>::add_sources(Program& step, bool forces) const {
  const Real3 h = grid_.spacing();
  const double volume = h[0] * h[2] * (Dimensions == 3 ? h[1] : 1);
  for (std::size_t n = 0; n < model_.sources.size(); ++n) {
    const Source& source = model_.sources[n];
    if (source.force.has_value() != forces) continue;
    Spread<T> spread;
    Box box = grid_.state()->domain(Location::node);
    for (std::size_t a = 0; a < 3; ++a) {
      const double place = (source.position[a] - grid_.origin()[a]) / h[a];
      const bool wraps = model_.edges[a][0] == Edge::periodic;
      const bool is_pushed = forces && a == 2 && model_.has_surface();
      detail::spread_along(spread.axis[a], place, grid_.cells()[a], wraps,
                           is_pushed ? model_.order : 0);
      const auto& index = spread.axis[a].index;
      const auto [first, last] = std::minmax_element(index.begin(), index.end());
      box.lower[a] = std::max<Index>(box.lower[a], *first);
      box.upper[a] = std::min<Index>(box.upper[a], *last + 1);
    }
    const auto amplitude = param(amplitudes_[n]);
    if (forces) {
      Push<T> push{spread, {}};
      for (std::size_t a = 0; a < 3; ++a) {
        push.force[a] = static_cast<T>(2 * dt_ * (*source.force)[a] / volume);
      }
      if constexpr (Dimensions == 3) {
        step.apply(push, inout(velocity[0]), inout(velocity[1]), inout(velocity[2]), in(density),
                   amplitude, site)
            .over(box);
      } else {
        step.apply(push, inout(velocity[0]), inout(velocity[1]), in(density), amplitude, site)
            .over(box);
      }
    } else {
      Slip<T> slip{spread, {}};
      const auto moment = losses_ ? unrelaxed_moment(source) : source.moment;
      for (std::size_t m = 0; m < 6; ++m) {
        slip.moment[m] = static_cast<T>(dt_ * moment[m] / volume);
      }
      if constexpr (Dimensions == 3) {
        step.apply(slip, inout(normal), inout(shear[0]), inout(shear[1]), inout(shear[2]),
                   amplitude, site)
            .over(box);
      } else {
        step.apply(slip, inout(normal), inout(shear[0]), amplitude, site).over(box);
      }
    }
  }
}

template <int Dimensions, class T>
Program WaveStep<Dimensions, T>::program() const {
  Program step("seismic");
  const auto displace = [&] {
    for (std::size_t a = 0; a < displacement.size(); ++a) {
      step.apply(Displace<T>{static_cast<T>(dt_ / 2)}, inout(displacement[a]), in(velocity[a]));
    }
  };
  displace();
  add_amplitudes(step);
  detail::with_order(model_.order,
                     [&](auto order) { this->template add_velocity_sweeps<order>(step); });
  add_sources(step, true);
  detail::with_order(model_.order,
                     [&](auto order) { this->template add_stress_sweeps<order>(step); });
  if (losses_) relax(step);
  add_sources(step, false);
  if (model_.absorber.kind == Absorber::Kind::sponge) {
    each_absorbing_side<Dimensions>(model_, [&](auto axis, Side side) { damp<axis>(step, side); });
  }
  displace();
  if (peak) {
    const Box top = slab(Axis::z, 0, 1);
    if constexpr (Dimensions == 3) {
      step.apply(KeepPeak{}, inout(*peak), in(velocity[0]), in(velocity[1]), in(velocity[2]))
          .over(top);
    } else {
      step.apply(KeepPeak{}, inout(*peak), in(velocity[0]), in(velocity[1])).over(top);
    }
  }
  return step;
}

template <int Dimensions, class T>
Program WaveStep<Dimensions, T>::balance() const {
  Program balance("balance");
  detail::with_order(model_.order, [&](auto order) { this->template add_balance<order>(balance); });
  if (losses_) add_lossy_strain(balance);
  return balance;
}

template class WaveStep<2, float>;
template class WaveStep<2, double>;
template class WaveStep<3, float>;
template class WaveStep<3, double>;

}  // namespace goban::seismic
