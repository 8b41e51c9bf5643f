#include "goban/domain/decomposition/coarsen.hpp"

#include <string>

#include "goban/base/error.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/performance/model/step_prediction.hpp"

namespace goban {
namespace {

Index thinnest(const std::vector<Index>& cuts) {
  Index least = cuts.back();
  for (std::size_t n = 1; n < cuts.size(); ++n) least = std::min(least, cuts[n] - cuts[n - 1]);
  return least;
}

/// The cuts without every second one between two pieces.
std::vector<Index> half_as_many(const std::vector<Index>& cuts) {
  std::vector<Index> fewer;
  for (std::size_t n = 0; n + 1 < cuts.size(); n += 2) fewer.push_back(cuts[n]);
  fewer.push_back(cuts.back());
  return fewer;
}

}  // namespace

Decomposition cut_as_finer(const Decomposition& finer, const GridState& grid) {
  Decomposition coarse = finer;
  for (std::size_t a = 0; a < 3; ++a) {
    for (Index& cut : coarse.cuts[a]) cut /= grid.ratio[a];
    require(thinnest(coarse.cuts[a]) > 0,
            "a grid that is cut into patches of one cell cannot be coarsened",
            std::string("along ") + "xyz"[a], "use fewer patches");
  }
  return coarse;
}

void add_coarser(PaperRank& rank, const GridState& root) {
  for (const auto& grid : root.coarser) {
    const Decomposition& finer = rank.patches.decomposition(grid->finer->number);
    rank.patches.add(cut_as_finer(finer, *grid), *grid);
    rank.computers.push_back(rank.computers.front());
  }
}

Decomposition cut_coarsened(const Decomposition& finer, const GridState& grid,
                            const std::vector<int>& machines) {
  Decomposition coarse = cut_as_finer(finer, grid);
  const Index3 asked_for = grid.coarsening.patches;
  const bool is_gathered =
      asked_for == Index3{} && predicted_amalgamation(finer, grid).is_gathered();
  bool is_cut_anew = false;
  for (std::size_t a = 0; a < 3; ++a) {
    auto& cuts = coarse.cuts[a];
    const auto before = cuts;
    if (grid.is_whole[a] || is_gathered) {
      cuts = {0, grid.cells[a]};
    } else if (asked_for[a] > 0) {
      cuts.clear();
      for (Index n = 0; n <= asked_for[a]; ++n) {
        cuts.push_back(grid.cells[a] * n / asked_for[a]);
      }
    } else if (grid.ratio[a] > 1) {
      while (cuts.size() > 2 && thinnest(cuts) < least_cells_of_patch) cuts = half_as_many(cuts);
    }
    is_cut_anew = is_cut_anew || cuts != before;
  }
  if (is_cut_anew) place_ranks(coarse, machines, step_model_of(grid));
  return coarse;
}

}  // namespace goban
