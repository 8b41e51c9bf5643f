#include "goban/simulation/output/statistics.hpp"

#include <algorithm>
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
    : mean_(checked(cells), 0.0),
      deviation_(mean_.size(), 0.0),
      minimum_(mean_.size(), std::numeric_limits<double>::infinity()),
      maximum_(mean_.size(), -std::numeric_limits<double>::infinity()) {}

template <class T>
void RunningStatistics::accumulate(Index first, const T* values, Index n) {
  const auto count = static_cast<double>(samples_);
  double* __restrict const mean = mean_.data() + first;
  double* __restrict const deviation = deviation_.data() + first;
  double* __restrict const minimum = minimum_.data() + first;
  double* __restrict const maximum = maximum_.data() + first;
  for (Index i = 0; i < n; ++i) {
    const auto x = static_cast<double>(static_cast<ArithmeticOf<T>>(values[i]));
    const double from_old_mean = x - mean[i];
    mean[i] += from_old_mean / count;
    deviation[i] += from_old_mean * (x - mean[i]);
    minimum[i] = std::min(minimum[i], x);
    maximum[i] = std::max(maximum[i], x);
  }
}

template void RunningStatistics::accumulate(Index, const std::uint8_t*, Index);
template void RunningStatistics::accumulate(Index, const std::int32_t*, Index);
template void RunningStatistics::accumulate(Index, const half*, Index);
template void RunningStatistics::accumulate(Index, const float*, Index);
template void RunningStatistics::accumulate(Index, const double*, Index);

}  // namespace goban
