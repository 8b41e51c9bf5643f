#pragma once
// Parts by SCOTCH, a library that is looked for when it is asked for.

#include <cstdint>
#include <vector>

#include "goban/partition/partition.hpp"

namespace goban {

/// The part of each vertex as SCOTCH cuts the graph (Pellegrini, Roman, HPCN 1996), in one process
/// and by its default strategy, asked for most_imbalance. Its threads race: parts differ from call
/// to call. Its file is GOBAN_SCOTCH, or libscotch-7.0.so or another usual name. Errors
/// (ExitCode::resources): it is not there; it has failed.
std::vector<std::int32_t> scotch_parts(const WeightedGraph& graph, int parts);
/// The file is there.
bool have_scotch();

}  // namespace goban
