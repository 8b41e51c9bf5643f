#pragma once
// One kernel as it is measured: through goban, by its hand-written twin, and the copy of as many
// bytes, in turn.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {
class ThreadTeam;
}

namespace goban::benchmarks {

struct Benchmark {
  std::string name;
  double bytes_per_update = 0;  ///< each array read once and written once
  double updates = 0;           ///< of one call
  double flops_per_update = 0;  ///< 0: nobody asks
  std::function<void()> goban;  ///< one call: some steps of the program
  std::function<void()> twin;  ///< the same steps by hand, on the same buffers; null: there is none
  std::function<bool()> same_bits;  ///< goban and twin compute the same
};

using MakeBenchmark = std::function<Benchmark(Index cells, int threads)>;

struct NamedBenchmark {
  std::string name, summary;
  Index cells;  ///< edge of the cube that is measured by default
  MakeBenchmark make;
};
const std::vector<NamedBenchmark>& all_benchmarks();

struct Measured {
  double goban_rate = 0;  ///< updates per second, median
  double best_rate = 0;   ///< the highest
  double of_copy = 0;     ///< rate as a share of what the copy allows, median over rounds
  double twin_of_copy = 0;
  double of_twin = 0;         ///< rate as a share of the twin's, median over rounds
  double copy_bandwidth = 0;  ///< bytes per second, median
};

/// What is measured: twins as well, or goban beside the copy alone, which takes half the time.
enum class Beside { twin, copy };

/// `rounds` times copy, goban, twin, goban, twin; without a twin its numbers are 0.
Measured measure(const Benchmark& benchmark, ThreadTeam& team, int rounds, Beside beside);

}  // namespace goban::benchmarks
