#include "goban/performance/measure/copy_bandwidth.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "goban/backend/cpu/evaluator/row_operations.hpp"
#include "goban/backend/cpu/streaming.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/backend/host/control_group.hpp"
#include "goban/base/aligned_memory.hpp"
#include "goban/base/error.hpp"
#include "goban/performance/measure/machine.hpp"

namespace goban {
namespace {

constexpr Index page = 4096;  // parts are cut here: first touch places whole pages
constexpr Index huge_page = Index{2} << 20;

AlignedMemory allocate(Index bytes) {
  AlignedMemory memory = aligned_memory(static_cast<std::size_t>(bytes), huge_page);
  madvise(memory.get(), static_cast<std::size_t>(bytes), MADV_HUGEPAGE);  // as fields are stored
  return memory;
}

}  // namespace

CopyBandwidth measure_copy_bandwidth(ThreadTeam& team, Index bytes) {
  constexpr int repetitions = 9;
  bytes = round_up(std::max<Index>(bytes, page), page);
  // The system would hand out more than there is and then kill the process.
  const Index available = process_memory().available;
  if (bytes > available / 2)
    throw Error(ExitCode::resources, "cannot measure the copy bandwidth",
                fmt::format("2 arrays of {} MiB in {} MiB", bytes >> 20, available >> 20),
                "free memory");
  const AlignedMemory from = allocate(bytes), to = allocate(bytes);
  team.run_split(
      bytes,
      [&](Index begin, Index end, int) {
        std::memset(from.get() + begin, 1, static_cast<std::size_t>(end - begin));
        std::memset(to.get() + begin, 2, static_cast<std::size_t>(end - begin));
      },
      page);

  std::vector<double> rates;
  for (int repetition = -1; repetition < repetitions; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    team.run_split(
        bytes,
        [&](Index begin, Index end, int) {
          cpu::row_streaming_copy()(to.get() + begin, from.get() + begin, nullptr, nullptr,
                                    end - begin);
          cpu::finish_streaming();
        },
        page);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (repetition >= 0) rates.push_back(2 * static_cast<double>(bytes) / seconds.count());
  }
  std::sort(rates.begin(), rates.end());
  return {rates.back(), rates[repetitions / 2], bytes};
}

namespace {

/// Bytes of one array, of all processes of the machine together: as wanted, and as there is room
/// for.
struct ArrayBytes {
  Index wanted, had;
};
ArrayBytes array_bytes(Index most) {
  constexpr Index least = Index{256} << 20;
  const Machine machine = inspect_machine();
  const Index wanted = std::max(least, std::min(most, 8 * machine.last_level_cache_bytes()));
  return {wanted, std::min(wanted, machine.memory_available / 8)};
}

}  // namespace

Index memory_of_copy_bandwidth(Index most) { return 2 * array_bytes(most).had; }

CopyBandwidth copy_bandwidth(ThreadTeam& team, int processes, Index most) {
  static std::mutex mutex;
  static std::map<std::tuple<int, int, Index>, CopyBandwidth> measured;
  const std::lock_guard lock(mutex);
  const ArrayBytes bytes = array_bytes(most);
  const std::tuple key(team.size(), processes, bytes.wanted);
  const auto found = measured.find(key);
  if (found != measured.end()) return found->second;
  return measured[key] = measure_copy_bandwidth(team, bytes.had / processes);
}

}  // namespace goban
