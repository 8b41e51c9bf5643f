#include "goban/simulation/output/statistics.hpp"

#include <limits>
#include <string>

#include "goban/base/error.hpp"

namespace goban {
namespace {

std::size_t checked(Index cells) {
  require(cells >= 0, "statistics cannot have a negative number of cells",
          std::to_string(cells) + " cells");
  return static_cast<std::size_t>(cells);
}

}  // namespace

RunningStatistics::RunningStatistics(Index cells)
    : last_(checked(cells), 0.0),
      mean_(last_.size(), 0.0),
      deviation_(last_.size(), 0.0),
      minimum_(mean_.size(), std::numeric_limits<double>::infinity()),
      maximum_(mean_.size(), -std::numeric_limits<double>::infinity()) {}

void RunningStatistics::begin_sample(double time) {
  interval_ = samples_ > 0 ? time - time_ : 0;
  time_ = time;
  span_ += interval_;
  ++samples_;
}

template <class T>
void RunningStatistics::accumulate(Index first, const T* values, Index n) {
  double* __restrict const last = last_.data() + first;
  double* __restrict const mean = mean_.data() + first;
  double* __restrict const deviation = deviation_.data() + first;
  double* __restrict const minimum = minimum_.data() + first;
  double* __restrict const maximum = maximum_.data() + first;
  const double interval = interval_, share = span_ > 0 ? interval_ / span_ : 1;
  const bool is_first = samples_ == 1;
  for (Index i = 0; i < n; ++i) {
    const auto x = static_cast<double>(static_cast<ArithmeticOf<T>>(values[i]));
    const double half_change = is_first ? 0 : 0.5 * (x - last[i]);
    const double from_mean = x - half_change - mean[i];
    mean[i] += from_mean * share;
    deviation[i] += interval * (half_change * half_change + from_mean * from_mean * (1 - share));
    last[i] = x;
    const bool is_nan = x != x;  // it stays in all of them
    minimum[i] = x < minimum[i] || is_nan ? x : minimum[i];
    maximum[i] = x > maximum[i] || is_nan ? x : maximum[i];
  }
}

template void RunningStatistics::accumulate(Index, const std::uint8_t*, Index);
template void RunningStatistics::accumulate(Index, const std::int32_t*, Index);
template void RunningStatistics::accumulate(Index, const half*, Index);
template void RunningStatistics::accumulate(Index, const float*, Index);
template void RunningStatistics::accumulate(Index, const double*, Index);

}  // namespace goban
