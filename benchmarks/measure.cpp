#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "benchmarks/benchmark.hpp"
#include "benchmarks/twins/stream_copy.hpp"
#include "goban/backend/cpu/thread_team.hpp"

namespace goban::benchmarks {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Two blocks of memory that are copied from one to the other, larger than any cache.
class Copy {
 public:
  explicit Copy(ThreadTeam& team) : team_(team), from_(make()), to_(make()) {
    team_.run_split(bytes, [&](Index begin, Index end, int) {
      std::memset(from_.get() + begin, 1, static_cast<std::size_t>(end - begin));
      std::memset(to_.get() + begin, 2, static_cast<std::size_t>(end - begin));
    });
  }
  /// Bytes read and written per second.
  double bandwidth() {
    const double time = seconds([&] {
      team_.run([&](int thread) {
        twins::stream_copy(to_.get(), from_.get(), bytes, thread, team_.size());
      });
    });
    return 2.0 * static_cast<double>(bytes) / time;
  }

 private:
  static constexpr Index bytes = Index{512} << 20;
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  static Memory make() {
    return Memory(static_cast<std::byte*>(std::aligned_alloc(Index{2} << 20, bytes)));
  }

  ThreadTeam& team_;
  Memory from_, to_;
};

}  // namespace

Measured measure(const Benchmark& benchmark, ThreadTeam& team, int rounds, Beside beside) {
  Copy copy(team);
  const bool has_twin = beside == Beside::twin;
  const auto twin_seconds = [&] { return has_twin ? seconds(benchmark.twin) : infinite; };
  benchmark.goban();
  twin_seconds();
  copy.bandwidth();
  std::vector<double> rates, shares, twin_shares, pairs, bandwidths;
  for (int round = 0; round < rounds; ++round) {
    const double bandwidth = copy.bandwidth();
    double goban = seconds(benchmark.goban), twin = twin_seconds();
    pairs.push_back(has_twin ? twin / goban : 0);
    const double again = seconds(benchmark.goban), twin_again = twin_seconds();
    pairs.push_back(has_twin ? twin_again / again : 0);
    goban = std::min(goban, again);
    twin = std::min(twin, twin_again);
    const double ceiling = bandwidth / benchmark.bytes_per_update;
    rates.push_back(benchmark.updates / goban);
    shares.push_back(benchmark.updates / goban / ceiling);
    twin_shares.push_back(benchmark.updates / twin / ceiling);
    bandwidths.push_back(bandwidth);
  }
  return {median(rates),  *std::max_element(rates.begin(), rates.end()),
          median(shares), median(twin_shares),
          median(pairs),  median(bandwidths)};
}

}  // namespace goban::benchmarks
