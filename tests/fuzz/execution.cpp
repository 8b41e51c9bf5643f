// Settings drawn at random; when their halos fit.

#include <cstdlib>

#include "tests/domain/same_bits.hpp"
#include "tests/fuzz/case.hpp"

namespace goban::fuzz {
namespace {

/// Cells that the halo of a cycle may take, and one face more.
Index halo_bound(const Reach& reach, const Settings& settings, std::size_t axis) {
  const bool recomputes = settings.steps_per_exchange > 1 || settings.recompute;
  const Index steps = std::max(1, settings.steps_per_exchange);
  return 1 + (recomputes ? steps * reach.total[axis] : reach.most[axis]);
}

/// Pieces of an axis, each at least `least` cells unless there are fewer in all.
std::vector<Index> draw_cuts(Index cells, Index least, Index most_pieces, Random& random) {
  const Index pieces = random.between(1, std::clamp<Index>(cells / least, 1, most_pieces));
  std::vector<Index> cuts{0};
  for (Index p = 1; p < pieces; ++p) {
    const Index last = cells - (pieces - p) * least;
    cuts.push_back(random.between(cuts.back() + least, last));
  }
  cuts.push_back(cells);
  return cuts;
}

Decomposition draw_decomposition(const Case& drawn, const Reach& reach, const Settings& settings,
                                 Random& random) {
  constexpr int most_patches = 8;
  const bool is_bold = random.chance(0.02);
  Decomposition decomposition;
  do {
    for (std::size_t a = 0; a < 3; ++a) {
      const Index least = is_bold ? 1 : halo_bound(reach, settings, a);
      const Index drawn_pieces = random.one_of({1, 1, 2, 3, 4});
      const Index pieces = reach.is_whole[a] ? 1 : drawn_pieces;
      decomposition.cuts[a] = draw_cuts(drawn.grid.cells[a], least, pieces, random);
    }
  } while (decomposition.patches() > most_patches);
  return decomposition;
}

std::string extents_of(const std::vector<Index>& cuts) {
  if (cuts.size() == 2) return "";
  std::string text;
  for (std::size_t n = 1; n < cuts.size(); ++n) {
    text += (n > 1 ? "," : "") + std::to_string(cuts[n] - cuts[n - 1]);
  }
  return text;
}

}  // namespace

Execution reference(const Case& drawn) {
  Execution execution{test::plainest(), std::nullopt, 1};
  execution.settings.seed = drawn.random_seed;
  return execution;
}

Execution draw_execution(const Case& drawn, const Reach& reach, Random& random) {
  Execution execution = reference(drawn);
  Settings& s = execution.settings;
  s.backend = random.one_of({Backend::cpu, Backend::cpu, Backend::cpu, Backend::emulated,
                             Backend::emulated, Backend::emulated});
  const bool are_passes_forced = std::getenv("GOBAN_FUZZ_PASSES") != nullptr;
  if (are_passes_forced) s.backend = Backend::cpu;
  // Draws only where there are some, so that elsewhere a seed means the same.
  if (test::has_gpu() && !are_passes_forced && random.chance(0.5)) s.backend = Backend::cuda;
  // Small boxes are marched through only when asked.
  if (s.backend == Backend::cuda && random.chance(0.5)) s.launches = "march";
  s.overlap =
      random.one_of({Overlap::none, Overlap::one_kernel, Overlap::two_kernel, Overlap::automatic});
  s.steps_per_exchange = random.one_of({0, 1, 1, 2, 2, 3, 4});
  s.recompute = random.chance(0.15);
  if (!drawn.coarser.empty()) {  // where a step spans grids, more is refused
    s.steps_per_exchange = std::min(s.steps_per_exchange, 1);
    s.recompute = false;
  }
  s.streaming_stores = random.chance(0.7);
  if (s.backend == Backend::cpu) {
    s.threads = static_cast<int>(random.between(1, 3));
    if (random.chance(0.5)) s.machine = test::without_caches;
    s.temporal_blocking = random.one_of({-1, 0, 0, 2, 3, 4, 8});
    if (are_passes_forced) {
      s.threads = static_cast<int>(random.between(1, 9));
      s.temporal_blocking = random.one_of({2, 2, 3, 4, 6, 8, 12});
    }
    if (s.temporal_blocking > 1) {
      const int steps = random.one_of({0, 2, 3, 4});
      if (drawn.coarser.empty()) s.steps_per_exchange = steps;
    }
  }
  if (s.backend == Backend::emulated) {
    s.delay_seed = static_cast<std::uint64_t>(random.between(1, 1000));
    s.delay_microseconds = random.one_of({0, 1, 10});
    if (random.chance(0.3)) s.devices = {0, cpu_device};
  }
  // Rarely more steps than fit.
  if (!random.chance(0.02)) {
    for (std::size_t a = 0; a < 3; ++a) {
      while (s.steps_per_exchange > 1 && halo_bound(reach, s, a) > drawn.grid.cells[a]) {
        --s.steps_per_exchange;
      }
      if (halo_bound(reach, s, a) > drawn.grid.cells[a]) s.recompute = false;
    }
  }
  const Decomposition decomposition = draw_decomposition(drawn, reach, s, random);
  if (random.chance(0.3)) {
    s.patches = decomposition.process_grid();
  } else {
    for (std::size_t a = 0; a < 3; ++a) s.cuts[a] = extents_of(decomposition.cuts[a]);
  }
  if (random.chance(0.2)) execution.later = draw_decomposition(drawn, reach, s, random);
  if (s.backend != Backend::cuda) execution.ranks = random.one_of({1, 1, 2, 3, 4});
  // Devices without a patch are refused; left open they are all there are.
  int fewest = decomposition.patches();
  if (execution.later) fewest = std::min(fewest, execution.later->patches());
  if (s.backend == Backend::cuda && fewest < test::gpu_count()) {
    s.devices = test::first_gpus(fewest);
  }
  if (execution.ranks == 1 && decomposition.patches() == 1 && is_mixed(s)) s.devices.clear();
  // Left open, there would be as many as ranks and devices.
  const bool may_have_more = execution.ranks > 1 || is_mixed(s);
  if (may_have_more && decomposition.patches() == 1) s.patches = {1, 1, 1};
  int patches = decomposition.patches();
  if (execution.later) patches = std::max(patches, execution.later->patches());
  s.transport = test::some_transport(s, patches, execution.ranks, s.delay_seed);
  s.kernels = random.one_of({KernelMode::beside, KernelMode::evaluate});
  return execution;
}

bool may_be_refused(const Case& drawn, const Reach& reach, const Execution& execution) {
  const Settings& s = execution.settings;
  if (!drawn.coarser.empty()) return true;  // patches of coarser grids may be thin
  Index3 pieces = s.patches;
  for (auto& n : pieces) n = std::max<Index>(n, 1);
  std::vector<Decomposition> used{cut_evenly(drawn.grid.cells, pieces)};
  if (!s.cuts[0].empty() || !s.cuts[1].empty() || !s.cuts[2].empty()) {
    used = {cut_explicitly(drawn.grid.cells, s.cuts)};
  }
  if (execution.later) used.push_back(*execution.later);
  for (const auto& decomposition : used) {
    for (std::size_t a = 0; a < 3; ++a) {
      if (halo_bound(reach, s, a) > decomposition.smallest(static_cast<int>(a))) return true;
    }
  }
  return false;
}

std::string to_text(const Execution& execution) {
  const Settings& s = execution.settings;
  std::string text = test::options_of(s) + " --goban-seed=" + std::to_string(s.seed);
  if (s.patches != Index3{}) {
    text += " --goban-patches=" + std::to_string(s.patches[0]) + "," +
            std::to_string(s.patches[1]) + "," + std::to_string(s.patches[2]);
  }
  if (execution.ranks > 1) text += " on " + std::to_string(execution.ranks) + " ranks";
  if (!s.streaming_stores) text += " without streaming stores";
  if (execution.later) {
    text += " then cuts \"" + extents_of(execution.later->cuts[0]) + ";" +
            extents_of(execution.later->cuts[1]) + ";" + extents_of(execution.later->cuts[2]) +
            "\"";
  }
  return text;
}

}  // namespace goban::fuzz
