#include "goban/domain/decomposition/order_list.hpp"

#include <algorithm>
#include <vector>

#include "goban/base/agreement.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/grid/list_parts.hpp"

namespace goban {
namespace {

bool has_cuts(const Settings& settings) {
  return std::any_of(settings.cuts.begin(), settings.cuts.end(),
                     [](const std::string& cut) { return !cut.empty(); });
}

}  // namespace

std::shared_ptr<const ActiveCells> ordered_list(const GridState& grid, int patches,
                                                Communicator& communicator) {
  const Settings& settings = grid.context->settings();
  const bool is_told = settings.parts > 0;
  const int parts = is_told ? settings.parts : patches;
  const ActiveCells& cells = *grid.active;
  if (parts == 1 || (!is_told && parts > std::ssize(cells.tiles()))) return grid.active;
  std::vector<std::int32_t> part_of(cells.tiles().size(), 0);  // all 0: they would be uneven
  agree(communicator, [&] {
    if (communicator.rank() != 0) return;
    Partition made = parts_of(cells, parts, settings.partition);
    if (is_told || made.imbalance() <= most_imbalance) part_of = std::move(made.part_of);
  });
  communicator.broadcast(std::as_writable_bytes(std::span(part_of)), 0);
  const bool is_even = *std::max_element(part_of.begin(), part_of.end()) > 0;
  return is_even ? in_parts(cells, part_of) : grid.active;
}

void order_list(GridState& grid, Communicator& communicator) {
  if (!grid.active) return;
  const Settings& settings = grid.context->settings();
  const int patches =
      has_cuts(settings) ? 1 : choose_decomposition(grid, communicator.nodes()).patches();
  grid.list = ordered_list(grid, patches, communicator);
}

}  // namespace goban
