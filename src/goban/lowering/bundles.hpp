#pragma once
// Which sweeps one launch may compute, cell after cell.

#include "goban/lowering/command.hpp"

namespace goban {

/// Asynchronous executors reduce more cells in kernels of their own: a thread that keeps sums has
/// fewer registers for what is under way, which costs more than reading cells again.
inline constexpr Index most_cells_reduced_together = Index{1} << 19;

/// Sets Command::bundled. Sweeps of a patch that follow each other in a queue and wait for nothing
/// on the way are a bundle if none reads, of another cell than the one at hand, what another of
/// them writes there: then every cell may take them one after the other, before or after any other
/// cell. What they send is copied when all are done. Reductions come last, over the same cells:
/// what sweeps before them read or write they find at hand, which is left out of their bytes. On
/// executors that are not asynchronous reductions alone are bundled, with one sweep before them or
/// each other.
void bundle_sweeps(std::vector<Command>& commands, const Cycle& cycle, const Slots& slots,
                   bool is_asynchronous);

}  // namespace goban
