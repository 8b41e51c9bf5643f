#pragma once
// How goban-gpu-rates measures the steps of a program.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"

namespace goban::benchmarks {

enum class Mode : std::uint8_t {
  sweeps,  ///< temporal blocking off
  open     ///< goban chooses the steps of a pass
};

struct Run {
  Index3 cells;
  std::vector<int> gpus;
  bool is_periodic = false;
  Mode mode = Mode::sweeps;
  Overlap overlap = Overlap::none;
  std::string scaling = "none";    ///< "weak", "strong"
  std::string launches = "tuned";  ///< as Settings::launches

  Settings settings() const {
    Settings all;
    std::string devices = "cuda:";
    for (std::size_t n = 0; n < gpus.size(); ++n) {
      devices += (n == 0 ? "" : ",") + std::to_string(gpus[n]);
    }
    choose_devices(all, devices);
    all.overlap = overlap;
    all.launches = launches;
    all.temporal_blocking = mode == Mode::sweeps ? 0 : -1;
    if (mode == Mode::sweeps) all.steps_per_exchange = 1;
    return all;
  }
};

struct Rate {
  double updates_per_second = 0;  ///< median
  double bytes_per_update = 0;    ///< each array read once and written once
  double best = 0;
  double copy_bandwidth = 0;  ///< of one GPU: the most of all measurements so far
  double share_of_copy = 0;   ///< of all GPUs together
  int steps_per_pass = 1;
  std::uint64_t checksum = 0;  ///< after the first steps
};

/// The most that any memory has reached: a copy's rate depends on where its memory lies.
inline double copy_ceiling(Executor& executor) {
  static double most = 0;
  most = std::max(most, executor.device_memory()->copy_bandwidth());
  return most;
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Steps of `engine` after `fill`, which move `bytes` a cell at least; checksum() of its fields.
template <class Checksum>
void time_steps(const Run& run, Engine& engine, const Program& fill, double bytes,
                const Checksum& checksum, Rate& rate) {
  constexpr Index first_steps = 48;
  StepClock clock;
  Engine start(fill);
  start.run(1, clock);
  start.synchronize();

  clock = {};
  engine.run(first_steps, clock);
  rate.checksum = checksum();
  while (!engine.is_settled()) engine.run(first_steps, clock);
  rate.steps_per_pass = engine.steps_per_pass();

  const auto time = [&](Index steps) {
    engine.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    engine.run(steps, clock);
    engine.synchronize();
    return seconds_since(begin);
  };
  constexpr Index least = 12;  // whole passes of 2, 3 and 4 steps
  constexpr double seconds_a_round = 0.05;
  constexpr int rounds = 5;
  const double guess = std::min(time(least), time(least));
  const auto repeats = static_cast<Index>(seconds_a_round / guess);
  const Index steps = least * std::clamp<Index>(repeats, 1, 200);
  std::vector<double> rates;
  for (int round = 0; round < rounds; ++round) {
    rates.push_back(static_cast<double>(product(run.cells) * steps) / time(steps));
  }
  std::sort(rates.begin(), rates.end());
  rate.updates_per_second = rates[rounds / 2];
  rate.best = rates.back();
  rate.bytes_per_update = bytes;
  rate.share_of_copy = rate.updates_per_second * bytes /
                       (rate.copy_bandwidth * static_cast<double>(run.gpus.size()));
}

/// Elastic waves in a medium that differs from cell to cell: the two sweeps of the application.
void measure_waves(const Run& run, Rate& rate);

/// Tridiagonal systems along z, four coefficients and a solution a cell: 20 bytes.
void measure_systems(const Run& run, Rate& rate);
/// D3Q19 on a list of active cells, all of the box or pipes of diameter 32.
enum class ListRun : std::uint8_t { box_float, box_double, pipes_float, pipes_double };
void measure_list(const Run& run, ListRun which, Rate& rate);

/// Heat, implicit along z, explicit across: 8 bytes a cell.
void measure_heat_in_columns(const Run& run, Rate& rate);

}  // namespace goban::benchmarks
