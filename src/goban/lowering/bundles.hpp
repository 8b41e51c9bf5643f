#pragma once
// Finds sweeps that one launch may compute together, cell by cell.

#include "goban/lowering/command.hpp"

namespace goban {

/// On asynchronous executors a reduction over at least this many cells gets a kernel of its own: a
/// thread that keeps sums has fewer registers for loads in flight, which costs more than reading
/// cells again.
inline constexpr Index most_cells_reduced_together = Index{1} << 19;

/// Sets Command::bundled. Consecutive sweeps of a patch in one queue that wait for nothing in
/// between form a bundle if none of them reads, at another cell than the current one, what another
/// of them writes there. Then every cell may take all sweeps one after the other, before or after
/// any other cell. Copies into other patches are made when all sweeps are done. Reductions come
/// last in a bundle and have the same cells as the sweeps before them; what those sweeps read or
/// wrote is at hand and is not counted in the reductions' bytes. On executors that are not
/// asynchronous a bundle has only reductions, and at most one other sweep, which comes first.
void bundle_sweeps(std::vector<Command>& commands, const Cycle& cycle, const Slots& slots,
                   bool is_asynchronous);

}  // namespace goban
