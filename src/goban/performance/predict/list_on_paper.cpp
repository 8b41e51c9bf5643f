#include "goban/performance/predict/list_on_paper.hpp"

#include <algorithm>
#include <cstdlib>

#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/decomposition/order_list.hpp"

namespace goban {
namespace {

int reach_of(const Stage& stage) {
  int reach = 0;
  for (const ListRead& read : stage.list_reads) {
    for (const int along : read.offset) reach = std::max(reach, std::abs(along));
  }
  return reach;
}

}  // namespace

ListOnPaper list_on_paper(const StraightRun& run, const std::vector<int>& nodes,
                          Index devices_per_rank, const StepModel& model) {
  const GridState& old = *run.grid;
  GridState grid;
  grid.context = old.context;
  grid.cells = old.cells;
  grid.boundary = old.boundary;
  grid.active = old.active;
  const auto patches = static_cast<int>(std::ssize(nodes) * devices_per_rank);
  grid.list = ordered_list(old, patches, *self_communicator());
  ListOnPaper paper{run, decomposition_on_paper(grid, nodes, devices_per_rank, model), {}};
  int reach = 1;
  for (const auto& stage : run.stages) reach = std::max(reach, reach_of(*stage));
  Decomposition of_one_rank;
  of_one_rank.cuts = paper.cut.cuts;
  const ListHalos halos(grid, of_one_rank, 0, 0, reach);
  paper.measured = list_cut(paper.cut, halos.ghosts(reach));
  for (std::shared_ptr<Stage>& stage : paper.run.stages) {
    if (stage->list_reads.empty()) continue;
    stage = std::make_shared<Stage>(*stage);
    stage->list_ghosts = list_cut(paper.cut, halos.ghosts(reach_of(*stage))).most_read;
  }
  return paper;
}

}  // namespace goban
