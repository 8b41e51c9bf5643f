#include "goban/performance/predict/growth.hpp"

#include <vector>

#include "goban/base/error.hpp"

namespace goban {

Index3 growth(Index devices, const std::array<bool, 3>& axes) {
  Index3 times{1, 1, 1};
  if (devices == 1) return times;
  require(axes != std::array<bool, 3>{}, "the grid cannot grow", "no axis is left that may",
          "name the axes: --weak z");
  std::vector<Index> factors;
  for (Index prime = 2; prime * prime <= devices; ++prime) {
    for (; devices % prime == 0; devices /= prime) factors.push_back(prime);
  }
  if (devices > 1) factors.push_back(devices);
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
    int least = -1;
    for (int a = 0; a < 3; ++a) {
      if (!axes[static_cast<std::size_t>(a)]) continue;
      if (least < 0 || times[a] < times[least]) least = a;
    }
    times[least] *= *factor;
  }
  return times;
}

}  // namespace goban
