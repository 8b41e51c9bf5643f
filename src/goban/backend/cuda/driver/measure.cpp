#include "goban/backend/cuda/driver/measure.hpp"

#include <algorithm>
#include <memory>

#include "goban/backend/cuda/driver/timer.hpp"

namespace goban::cuda {

double measure_copy(CUstream stream) {
  constexpr std::size_t most = std::size_t{2} << 30, least = std::size_t{64} << 20;
  constexpr int repetitions = 6;
  constexpr const char* doing = "measuring its memory";
  std::size_t free = 0, total = 0;
  check(driver().cuMemGetInfo(&free, &total), "being asked for its memory");
  const std::size_t bytes = std::min(most, free / 4);
  if (bytes < least) return 0;
  const auto make = [&] {
    return std::unique_ptr<void, void (*)(void*)>(allocate(bytes, doing), free_memory);
  };
  const auto from = make(), to = make();
  QueueTimer timer(stream, doing);
  check(driver().cuMemsetD8Async(address(from.get()), 1, bytes, stream), doing);
  double best = 0;
  for (int n = 0; n < repetitions; ++n) {
    const double seconds = timer.time([&] {
      check(driver().cuMemcpyAsync(address(to.get()), address(from.get()), bytes, stream), doing);
    });
    best = std::max(best, 2 * static_cast<double>(bytes) / seconds);
  }
  return best;
}

}  // namespace goban::cuda
