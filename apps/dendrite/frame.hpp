#pragma once
// Follows the tip of the solid: its speed, and a frame that moves with it.

#include <optional>

#include "dendrite/step.hpp"
#include "goban/domain/engine/engine.hpp"

namespace goban::dendrite {

/// The tip is an exact maximum over cells, so that neither its speed nor the moment at which the
/// frame moves depends on how the grid is cut.
template <class T>
class TipFollower {
 public:
  /// `highest`: where the tip may be at most, m; none: the frame stands still.
  TipFollower(const GrowthStep<T>& step, double spacing, std::optional<double> highest)
      : step_(step),
        location_(step.location()),
        move_(step.move()),
        spacing_(spacing),
        highest_(highest) {}

  /// Finds the tip and moves everything down by whole cells while it is too high. A second call at
  /// the same time finds nothing to do.
  void look(double time) {
    StepClock clock;
    location_.run(1, clock);
    measure_speed(time);
    if (!highest_) return;
    for (double tip = step_.tip.value(); tip > *highest_; tip -= spacing_) move_.run(1, clock);
  }

  /// The tip in a frame that stands still, m.
  double tip() const { return step_.tip.value() + spacing_ * step_.shifted.value(); }

  Parameter<double> speed{"tip_speed"};  ///< m/s, mean over cells_of_speed cells or more
  // Where and when that mean begins; a negative time: not yet.
  Parameter<double> tip_before{"tip_before"}, time_before{"time_before", -1};

 private:
  /// Within one cell the speed of an interface sways.
  static constexpr double cells_of_speed = 4;

  void measure_speed(double time) {
    const double advance = tip() - tip_before.value();
    const bool is_first = time_before.value() < 0;
    if (!is_first && std::abs(advance) < cells_of_speed * spacing_) return;
    if (!is_first) speed.set(advance / (time - time_before.value()));
    tip_before.set(tip());
    time_before.set(time);
  }

  const GrowthStep<T>& step_;
  Engine location_, move_;
  double spacing_;
  std::optional<double> highest_;
};

}  // namespace goban::dendrite
