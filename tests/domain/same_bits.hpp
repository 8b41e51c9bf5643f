#pragma once
// Runs one experiment under many settings: every result must have the same bits.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/grid/settings.hpp"
#include "tests/gpu.hpp"
#include "tests/ranks.hpp"

namespace goban::test {

/// What a run leaves behind that may not depend on how it was executed: checksums of fields, bits
/// of parameters, by name.
using Results = std::map<std::string, std::uint64_t>;
using Experiment = std::function<Results(const Settings&)>;

/// The settings as options of a goban program.
inline std::string options_of(const Settings& s) {
  std::string text = std::string("--goban-backend=") + name_of(s.backend) +
                     " --goban-threads=" + std::to_string(s.threads) + " --goban-cuts=\"" +
                     s.cuts[0] + ";" + s.cuts[1] + ";" + s.cuts[2] +
                     "\" --goban-steps-per-exchange=" + std::to_string(s.steps_per_exchange) +
                     " --goban-overlap=" + name_of(s.overlap) + " --goban-temporal-blocking=" +
                     (s.temporal_blocking < 0 ? "auto" : std::to_string(s.temporal_blocking));
  if (s.transport != Transport::automatic) {
    text += std::string(" --goban-transport=") + name_of(s.transport);
  }
  if (is_mixed(s)) text += " with the CPU as a device";
  if (s.recompute) text += " --goban-recompute=on";
  if (s.launches != Settings{}.launches) text += " --goban-launches=" + s.launches;
  if (!s.machine.empty()) text += " --goban-machine=" + s.machine;
  if (s.backend == Backend::emulated) {
    text += " --goban-delay-seed=" + std::to_string(s.delay_seed) +
            " --goban-delay=" + std::to_string(s.delay_microseconds);
  }
  return text;
}

/// The definition of what programs do: no schedule, no settings.
inline Settings plainest() {
  Settings s;
  s.backend = Backend::reference;
  return s;
}

/// A schedule as plain as can be: one patch, one thread, an exchange every step.
inline Settings plain_schedule() {
  Settings s;
  s.threads = 1;
  s.steps_per_exchange = 1;
  s.temporal_blocking = 0;
  return s;
}

/// Every combination of the values listed.
struct SettingsProduct {
  std::vector<std::array<std::string, 3>> cuts = {{"", "", ""}};
  std::vector<Backend> backends = {Backend::cpu};
  std::vector<int> threads = {1};
  std::vector<int> steps_per_exchange = {1};
  std::vector<Overlap> overlaps = {Overlap::none};
  std::vector<int> temporal_blocking = {0};
  std::vector<bool> recompute = {false};
  std::vector<std::uint64_t> delay_seeds = {1};
  int delay_microseconds = 20;
  bool cpu_joins_gpus = true;  ///< fields in place refuse that

  /// As many of them as there are patches.
  static std::vector<int> gpus_for(const std::array<std::string, 3>& cut,
                                   int there_are = gpu_count()) {
    int patches = 1;
    for (const std::string& extents : cut) {
      patches *= static_cast<int>(std::count(extents.begin(), extents.end(), ',')) + 1;
    }
    std::vector<int> gpus;
    for (int n = 0; n < std::min(patches, there_are); ++n) gpus.push_back(n);
    return gpus;
  }

  /// Without those that say the same twice: only the CPU backends have threads and passes through
  /// cache, only emulated devices have delays, recomputation is implied when R > 1. GPUs join where
  /// there are some, and the CPU joins devices now and then.
  std::vector<Settings> all() const {
    std::vector<Settings> list;
    std::vector<Backend> all_backends = backends;
    if (has_gpu()) all_backends.push_back(Backend::cuda);
    for (const auto& cut : cuts) {
      for (Backend backend : all_backends) {
        const bool is_cpu = backend == Backend::cpu;
        for (int thread_count : is_cpu ? threads : std::vector<int>{1}) {
          for (int r : steps_per_exchange) {
            for (Overlap overlap : overlaps) {
              for (int pass : is_cpu ? temporal_blocking : std::vector<int>{0}) {
                for (bool again : r == 1 ? recompute : std::vector<bool>{false}) {
                  for (auto seed :
                       backend == Backend::emulated ? delay_seeds : std::vector<std::uint64_t>{1}) {
                    Settings s;
                    s.cuts = cut;
                    if (backend == Backend::cuda) s.devices = gpus_for(cut);
                    s.backend = backend;
                    s.threads = thread_count;
                    s.steps_per_exchange = r;
                    s.overlap = overlap;
                    s.temporal_blocking = pass;
                    s.recompute = again;
                    s.delay_seed = seed;
                    s.delay_microseconds = delay_microseconds;
                    const bool is_cut = gpus_for(cut, 2).size() > 1;
                    if (backend == Backend::emulated && is_cut && list.size() % 3 == 0) {
                      s.devices = {0, cpu_device};
                    }
                    list.push_back(s);
                    if (backend != Backend::cuda || !is_cut || !cpu_joins_gpus) continue;
                    if (s.devices.size() > 1) s.devices.pop_back();
                    s.devices.push_back(cpu_device);
                    list.push_back(s);
                  }
                }
              }
            }
          }
        }
      }
    }
    return list;
  }
};

using Cuts = std::vector<std::array<std::string, 3>>;

/// All combinations of these cuts and R with backends, threads, overlap and blocking.
inline std::vector<Settings> all_ways(const Cuts& cuts, std::vector<int> steps_per_exchange,
                                      bool cpu_joins_gpus = true) {
  return SettingsProduct{.cuts = cuts,
                         .backends = {Backend::cpu, Backend::emulated},
                         .threads = {1, 2},
                         .steps_per_exchange = std::move(steps_per_exchange),
                         .overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel},
                         .temporal_blocking = {0, 3},
                         .delay_microseconds = 5,
                         .cpu_joins_gpus = cpu_joins_gpus}
      .all();
}

/// A way of halos between ranks that these settings have, another for another number.
inline Transport some_transport(const Settings& s, int patches, int ranks, std::size_t number) {
  if (s.backend != Backend::emulated || is_mixed(s) || ranks == 1) return Transport::automatic;
  const bool has_groups = patches <= ranks;  // of one device a rank
  const std::array all{Transport::automatic, Transport::mpi, Transport::host, Transport::nccl};
  return all[number % (has_groups ? all.size() : all.size() - 1)];
}

/// What each of as many ranks, threads of this process, finds.
inline std::vector<Results> results_of_ranks(int ranks, const Experiment& experiment,
                                             Settings settings) {
  std::vector<Results> found(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
    Settings mine = settings;
    mine.communicator = communicator;
    found[static_cast<std::size_t>(communicator->rank())] = experiment(mine);
  });
  return found;
}

/// Takes every fifth of a long list: what settings can be has two to four values each, so that all
/// pairs of values are among them.
inline std::vector<Settings> thinned(const std::vector<Settings>& all) {
  constexpr std::size_t most = 150, step = 5;
  if (all.size() <= most) return all;
  std::vector<Settings> some;
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

/// Small grids take the ways of large ones there: results are streamed past caches.
inline const std::string without_caches = GOBAN_SOURCE_DIR "/tests/small_caches.toml";

/// Compares with the definition, some of them also on 2 ... 4 ranks. Stops after a few
/// differences.
inline void expect_same_bits(const Experiment& experiment,
                             const std::vector<Settings>& all_settings) {
  const Results expected = experiment(plainest());
  ASSERT_FALSE(expected.empty());
  const std::vector<Settings> all = thinned(all_settings);
  int failures = 0, cpu_settings = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Settings settings = all[i];
    const auto patches = static_cast<int>(SettingsProduct::gpus_for(settings.cuts, 100).size());
    const bool has_gpus = settings.backend == Backend::cuda;
    const int most_ranks = i % 2 == 0 && !has_gpus ? 2 + static_cast<int>(i / 2 % 3) : 1;
    const bool is_cpu = settings.backend == Backend::cpu;
    if (is_cpu) ++cpu_settings;
    for (int ranks : {1, most_ranks}) {
      // What one rank does not stream several do, and the other way about.
      const bool streams = is_cpu && (cpu_settings % 2 == 0) == (ranks == 1);
      settings.machine = streams ? without_caches : "";
      settings.transport = some_transport(settings, patches, ranks, i / 2);
      const std::string how = options_of(settings) + " on " + std::to_string(ranks) + " ranks";
      try {
        for (const Results& found : results_of_ranks(ranks, experiment, settings)) {
          EXPECT_EQ(found, expected) << how;
          if (found != expected) ++failures;
        }
      } catch (const Error& error) {
        // A patch for each rank may be smaller than what is forced has to have.
        const bool is_cut_by_ranks = ranks > 1 && settings.cuts == decltype(settings.cuts){};
        const bool is_too_thin =
            std::string(error.what()).find("does not fit") != std::string::npos;
        if (is_cut_by_ranks && is_too_thin) continue;
        // Experiments that cut anew may leave a rank more devices than its group takes.
        const bool is_crowded = settings.transport == Transport::nccl &&
                                std::string(error.what()).find("one may join") != std::string::npos;
        if (is_crowded) continue;
        ADD_FAILURE() << error.what() << "\n  " << how;
        ++failures;
      }
      if (failures > 2) return;
      if (most_ranks == 1) break;
    }
  }
}

}  // namespace goban::test
