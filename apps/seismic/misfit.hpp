#pragma once
// How far two traces lie apart.

#include <vector>

namespace goban::seismic {

/// Values at times that grow.
struct Trace {
  std::vector<double> time, value;
};

/// The trace at every `interval` from `first` to `last`, by cubics through the 4 nearest samples; 0
/// before the first sample.
Trace resampled(const Trace& trace, double first, double last, double interval);

/// Butterworth filter of 4 poles, forwards and backwards: no delay. Samples are equally spaced.
Trace low_passed(const Trace& trace, double frequency);

/// Magnitude of the analytic signal. Samples are equally spaced.
std::vector<double> envelope(const std::vector<double>& value);

struct Misfit {
  double relative_l2 = 0;  ///< |trace - reference| / |reference|
  double of_envelope = 0;  ///< the same of the envelopes
  double peak_ratio = 0;   ///< ratio of the largest magnitudes, trace over reference
  /// Delay of the first moment with 1 % of the reference's largest magnitude, s; without the
  /// filter.
  double delay = 0;
};
/// Compares traces over the times both have; `low_pass` in Hz, 0: as they are. Error (usage): no
/// times in common.
Misfit misfit(const Trace& trace, const Trace& reference, double low_pass = 0);

}  // namespace goban::seismic
