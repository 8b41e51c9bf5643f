#pragma once
// How FlowStep names its fields to stages, which take as many as there are.

#include "flow/measures.hpp"
#include "flow/step.hpp"
#include "goban/field/face_fields.hpp"
#include "goban/goban.hpp"
#include "goban/grid/box_ends.hpp"

namespace goban::flow {

template <int D, class T>
template <class Each, class Visit>
void FlowStep<D, T>::with_faces(const std::vector<Each>& of_axes, const Visit& visit) const {
  [&]<std::size_t... I>(std::index_sequence<I...>) { visit(of_axes[I]...); }
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

/// Visits a Buoyancy and the field that it is of, or the former alone where nothing lifts.
template <int D, class T>
template <class Visit>
void FlowStep<D, T>::with_buoyancy(const Visit& visit) const {
  Buoyancy<T> buoyancy;
  if (buoyant_.empty()) return visit(buoyancy);
  const Scalar& scalar = model_.scalars[buoyant_.front()];
  const double expansion = lightness_ ? 1 : scalar.expansion;
  for (std::size_t a = 0; a < 3; ++a) {
    buoyancy.lift[a] = static_cast<T>(-model_.gravity[a]) * static_cast<T>(expansion);
  }
  if (lightness_) return visit(buoyancy, in(*lightness_));
  buoyancy.reference = static_cast<T>(scalar.reference);
  visit(buoyancy, in(scalars[buoyant_.front()]));
}

template <int D, class T>
template <class Visit>
void FlowStep<D, T>::each_side(Edge edge, const Visit& visit) const {
  for (std::size_t a = 0; a < D; ++a) {
    for (const Side side : both_sides) {
      if (model_.edges[a][index_of(side)] == edge) visit(a, side);
    }
  }
}

template <int D, class T>
template <class Real>
std::array<Real, 3> FlowStep<D, T>::per_h() const {
  const Real3 h = grid_.spacing();
  return {static_cast<Real>(1 / h[0]), static_cast<Real>(1 / h[1]), static_cast<Real>(1 / h[2])};
}

/// The faces of a side, where the velocities across it lie.
template <int D, class T>
Box FlowStep<D, T>::faces_of(std::size_t axis, Side side) const {
  return end_of(grid_.state()->domain(face_across(all_axes[axis])), static_cast<int>(axis), side);
}

/// Visits the axis along which diffusion is implicit, as a constant, if there is one: y or z.
template <int D, class T>
template <class Visit>
void FlowStep<D, T>::with_implicit_axis(const Visit& visit) const {
  if (model_.implicit_axis == Axis::y) return visit(std::integral_constant<Axis, Axis::y>{});
  if constexpr (D == 3) {
    if (model_.implicit_axis == Axis::z) visit(std::integral_constant<Axis, Axis::z>{});
  }
}

template <int D, class T>
std::array<T, 3> FlowStep<D, T>::explicit_part(double diffusivity) const {
  const Real3 part = model_.explicit_part(diffusivity);
  return {static_cast<T>(part[0]), static_cast<T>(part[1]), static_cast<T>(part[2])};
}

}  // namespace goban::flow
