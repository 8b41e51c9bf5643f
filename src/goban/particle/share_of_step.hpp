#pragma once
// What part of the time of steps something takes.

#include <algorithm>
#include <limits>

namespace goban {

/// Steps that take more than twice as long as the fastest do not count: other things were done
/// between them.
class ShareOfStep {
 public:
  /// Seconds of a step that it takes, and of all of the step.
  void add(double part, double step) {
    if (!(step > 0)) return;
    if (2 * step < fastest_) part_ = whole_ = 0;
    fastest_ = std::min(fastest_, step);
    if (step > 2 * fastest_) return;
    part_ += part;
    whole_ += step;
  }
  /// 0: no step has been added.
  double value() const { return whole_ > 0 ? part_ / whole_ : 0; }

 private:
  double part_ = 0, whole_ = 0;
  double fastest_ = std::numeric_limits<double>::infinity();
};

}  // namespace goban
