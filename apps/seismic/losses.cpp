// What attenuation adds to WaveStep.

#include <algorithm>

#include "goban/goban.hpp"
#include "seismic/relaxation.hpp"
#include "seismic/step.hpp"

namespace goban::seismic {

template <int Dimensions, class T>
void WaveStep<Dimensions, T>::add_losses(const Band& band) {
  losses_.emplace(Losses{Mechanisms(band, dt_),
                         Field<T>(density, "bulk_loss"),
                         Field<T>(density, "shear_loss"),
                         {grid_, normal.name() + "_relaxed"},
                         {}});
  for (const Field<T>& stress : shear) {
    losses_->shears.emplace_back(grid_, stress.name() + "_relaxed",
                                 FieldOptions{.location = stress.record()->location});
  }
  const Medium& medium = model_.medium;
  const GridState& state = *density.grid();
  const auto rock = [&](Index3 cell) {
    return losses_->mechanisms.unrelaxed(medium.at(cell, state.position(cell, Location::cell)));
  };
  losses_->bulk.fill([&](Index3 cell) { return std::max(0.0, bulk_loss(rock(cell), Dimensions)); });
  losses_->shear.fill([&](Index3 cell) { return rock(cell).s_loss; });
}

template <int Dimensions, class T>
void WaveStep<Dimensions, T>::relax(Program& step) const {
  const auto& [mechanisms, bulk, shear_loss, memory, shears] = *losses_;
  const Relax<Dimensions, T> relax{RelaxingParts<T>::of(mechanisms)};
  if constexpr (Dimensions == 3) {
    step.apply(relax, inout(normal), inout(shear[0]), inout(shear[1]), inout(shear[2]),
               inout(memory), inout(shears[0]), inout(shears[1]), inout(shears[2]), in(bulk),
               in(shear_loss));
  } else {
    step.apply(relax, inout(normal), inout(shear[0]), inout(memory), inout(shears[0]), in(bulk),
               in(shear_loss));
  }
}

template <int Dimensions, class T>
void WaveStep<Dimensions, T>::add_lossy_strain(Program& balance) const {
  const auto& [mechanisms, bulk, shear_loss, memory, shears] = *losses_;
  const LossyEnergy<Dimensions, T> energy{RelaxingParts<T>::of(mechanisms)};
  if constexpr (Dimensions == 3) {
    balance.reduce(energy, in(normal), in(shear[0]), in(shear[1]), in(shear[2]), in(memory),
                   in(shears[0]), in(shears[1]), in(shears[2]), in(lambda), in(compliance),
                   in(bulk), in(shear_loss), goban::sum, into(strain));
  } else {
    balance.reduce(energy, in(normal), in(shear[0]), in(memory), in(shears[0]), in(lambda),
                   in(compliance), in(bulk), in(shear_loss), goban::sum, into(strain));
  }
}

/// A moment is that of a slip in rock without relaxation, which its relaxation then takes part of:
/// made so large that what is left at the reference frequency is what the case says.
template <int Dimensions, class T>
std::array<double, 6> WaveStep<Dimensions, T>::unrelaxed_moment(const Source& source) const {
  std::array<double, 6> moment = source.moment;
  const auto& at = source.position;
  const Rock rock = model_.medium.at({}, {at[0], at[1], at[2]});
  const Rock stiff = losses_->mechanisms.unrelaxed(rock);
  const auto bulk = [](const Rock& r) { return r.lambda() + 2 * r.mu() / Dimensions; };
  const double of_bulk = bulk(stiff) / bulk(rock);
  const double of_shear = rock.vs > 0 ? stiff.mu() / rock.mu() : 1;
  const double mean =
      Dimensions == 3 ? (moment[0] + moment[1] + moment[2]) / 3 : (moment[0] + moment[2]) / 2;
  for (std::size_t m = 0; m < 6; ++m) {
    const double part = m < 3 ? mean : 0;
    moment[m] = of_bulk * part + of_shear * (moment[m] - part);
  }
  return moment;
}

#define GOBAN_SEISMIC_LOSSES(dimensions, T)                                \
  template void WaveStep<dimensions, T>::add_losses(const Band&);          \
  template void WaveStep<dimensions, T>::relax(Program&) const;            \
  template void WaveStep<dimensions, T>::add_lossy_strain(Program&) const; \
  template std::array<double, 6> WaveStep<dimensions, T>::unrelaxed_moment(const Source&) const

GOBAN_SEISMIC_LOSSES(2, float);
GOBAN_SEISMIC_LOSSES(2, double);
GOBAN_SEISMIC_LOSSES(3, float);
GOBAN_SEISMIC_LOSSES(3, double);

}  // namespace goban::seismic
