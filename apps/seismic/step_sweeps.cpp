// The sweeps of WaveStep that depend on the order of differences.

#include "goban/goban.hpp"
#include "seismic/absorber.hpp"
#include "seismic/stencils.hpp"
#include "seismic/step.hpp"

namespace goban::seismic {
namespace detail {

inline void limit(StageHandle stage, const std::optional<Box>& region) {
  if (region) stage.over(*region);
}

}  // namespace detail

template <int Dimensions, class T>
template <class Place, int Order>
void WaveStep<Dimensions, T>::accelerate(Program& step, const Place& place,
                                         std::optional<Box> region) const {
  const auto functor = Accelerate<Order, T, Place>::with(dt_, grid_.spacing(), place);
  if constexpr (Dimensions == 3) {
    detail::limit(step.apply(functor, inout(velocity[0]), inout(velocity[1]), inout(velocity[2]),
                             in(normal), in(shear[0]), in(shear[1]), in(shear[2]), in(density)),
                  region);
  } else {
    detail::limit(step.apply(functor, inout(velocity[0]), inout(velocity[1]), in(normal),
                             in(shear[0]), in(density)),
                  region);
  }
}

template <int Dimensions, class T>
template <class Place, int Order>
void WaveStep<Dimensions, T>::deform(Program& step, const Place& place,
                                     std::optional<Box> region) const {
  const auto functor = Deform<Order, T, Place>::with(dt_, grid_.spacing(), place);
  if constexpr (Dimensions == 3) {
    detail::limit(
        step.apply(functor, inout(normal), inout(shear[0]), inout(shear[1]), inout(shear[2]),
                   in(velocity[0]), in(velocity[1]), in(velocity[2]), in(lambda), in(compliance)),
        region);
  } else {
    detail::limit(step.apply(functor, inout(normal), inout(shear[0]), in(velocity[0]),
                             in(velocity[1]), in(lambda), in(compliance)),
                  region);
  }
}

template <int Dimensions, class T>
template <Axis A, int Order>
void WaveStep<Dimensions, T>::match_velocity(Program& step, Side side) const {
  constexpr auto a = static_cast<std::size_t>(component_of_axis<Dimensions>(A));
  const double h = grid_.spacing()[index_of(A)];
  const MatchVelocity<Dimensions, A, Order, T> match{layer(A, side), static_cast<T>(2 * dt_ / h)};
  const auto& memory = memory_[index_of(A)]->velocity;
  constexpr Axis b = axis_beside<Dimensions, A>(0);
  constexpr auto v1 = static_cast<std::size_t>(component_of_axis<Dimensions>(b));
  if constexpr (Dimensions == 3) {
    constexpr Axis c = axis_beside<3, A>(1);
    constexpr auto v2 = static_cast<std::size_t>(component_of_axis<3>(c));
    step.apply(match, inout(memory[0]), inout(memory[1]), inout(memory[2]), inout(velocity[a]),
               inout(velocity[v1]), inout(velocity[v2]), in(normal), in(shear_of(A, b)),
               in(shear_of(A, c)), in(density), site)
        .over(layer_box(A, side));
  } else {
    step.apply(match, inout(memory[0]), inout(memory[1]), inout(velocity[a]), inout(velocity[v1]),
               in(normal), in(shear[0]), in(density), site)
        .over(layer_box(A, side));
  }
}

template <int Dimensions, class T>
template <Axis A, int Order>
void WaveStep<Dimensions, T>::match_stress(Program& step, Side side) const {
  constexpr auto a = static_cast<std::size_t>(component_of_axis<Dimensions>(A));
  const double h = grid_.spacing()[index_of(A)];
  const MatchStress<Dimensions, A, Order, T> match{layer(A, side), static_cast<T>(dt_ / h)};
  const auto& memory = memory_[index_of(A)]->stress;
  constexpr Axis b = axis_beside<Dimensions, A>(0);
  constexpr auto v1 = static_cast<std::size_t>(component_of_axis<Dimensions>(b));
  if constexpr (Dimensions == 3) {
    constexpr Axis c = axis_beside<3, A>(1);
    constexpr auto v2 = static_cast<std::size_t>(component_of_axis<3>(c));
    step.apply(match, inout(memory[0]), inout(memory[1]), inout(memory[2]), inout(normal),
               inout(shear_of(A, b)), inout(shear_of(A, c)), in(velocity[a]), in(velocity[v1]),
               in(velocity[v2]), in(lambda), in(compliance), site)
        .over(layer_box(A, side));
  } else {
    step.apply(match, inout(memory[0]), inout(memory[1]), inout(normal), inout(shear[0]),
               in(velocity[a]), in(velocity[v1]), in(lambda), in(compliance), site)
        .over(layer_box(A, side));
  }
}

template <int Dimensions, class T>
template <int Order>
void WaveStep<Dimensions, T>::add_velocity_sweeps(Program& step) const {
  if (model_.has_surface()) {
    constexpr int planes = shallow_planes<Order>;
    accelerate<Deep, Order>(step, {}, slab(Axis::z, planes, grid_.cells()[2] + 1));
    for (int plane = 0; plane < planes; ++plane) {
      accelerate<Shallow, Order>(step, {plane}, slab(Axis::z, plane, plane + 1));
    }
  } else {
    accelerate<Deep, Order>(step, {}, {});
  }
  if (model_.absorber.kind != Absorber::Kind::pml) return;
  each_absorbing_side<Dimensions>(
      model_, [&](auto axis, Side side) { match_velocity<axis, Order>(step, side); });
}

template <int Dimensions, class T>
template <int Order>
void WaveStep<Dimensions, T>::add_stress_sweeps(Program& step) const {
  if (model_.has_surface()) {
    constexpr int planes = shallow_planes<Order>;
    deform<Deep, Order>(step, {}, slab(Axis::z, planes, grid_.cells()[2] + 1));
    for (int plane = 0; plane < planes; ++plane) {
      deform<Shallow, Order>(step, {plane}, slab(Axis::z, plane, plane + 1));
    }
  } else {
    deform<Deep, Order>(step, {}, {});
  }
  if (model_.absorber.kind != Absorber::Kind::pml) return;
  each_absorbing_side<Dimensions>(
      model_, [&](auto axis, Side side) { match_stress<axis, Order>(step, side); });
}

template <int Dimensions, class T>
template <int Order>
void WaveStep<Dimensions, T>::add_balance(Program& balance) const {
  const MotionEnergy<Order, T> of_motion{Accelerate<Order, T>::with(dt_, grid_.spacing())};
  if constexpr (Dimensions == 3) {
    balance.reduce(of_motion, in(velocity[0]), in(velocity[1]), in(velocity[2]), in(normal),
                   in(shear[0]), in(shear[1]), in(shear[2]), in(density), goban::sum, into(motion));
    if (losses_) return;
    balance.reduce(StrainEnergy{}, in(normal), in(shear[0]), in(shear[1]), in(shear[2]), in(lambda),
                   in(compliance), goban::sum, into(strain));
  } else {
    balance.reduce(of_motion, in(velocity[0]), in(velocity[1]), in(normal), in(shear[0]),
                   in(density), goban::sum, into(motion));
    if (losses_) return;
    balance.reduce(StrainEnergy{}, in(normal), in(shear[0]), in(lambda), in(compliance), goban::sum,
                   into(strain));
  }
}

#define GOBAN_SEISMIC_SWEEPS(dimensions, order, T)                                   \
  template void WaveStep<dimensions, T>::add_velocity_sweeps<order>(Program&) const; \
  template void WaveStep<dimensions, T>::add_stress_sweeps<order>(Program&) const;   \
  template void WaveStep<dimensions, T>::add_balance<order>(Program&) const

GOBAN_SEISMIC_SWEEPS(2, 2, float);
GOBAN_SEISMIC_SWEEPS(2, 2, double);
GOBAN_SEISMIC_SWEEPS(2, 4, float);
GOBAN_SEISMIC_SWEEPS(2, 4, double);
GOBAN_SEISMIC_SWEEPS(2, 8, float);
GOBAN_SEISMIC_SWEEPS(2, 8, double);
GOBAN_SEISMIC_SWEEPS(3, 2, float);
GOBAN_SEISMIC_SWEEPS(3, 2, double);
GOBAN_SEISMIC_SWEEPS(3, 4, float);
GOBAN_SEISMIC_SWEEPS(3, 4, double);
GOBAN_SEISMIC_SWEEPS(3, 8, float);
GOBAN_SEISMIC_SWEEPS(3, 8, double);

}  // namespace goban::seismic
