#pragma once
// The functors of a fuse as one graph: where a later one reads what an earlier one writes, there
// stands what the earlier one computes, moved to the cell that is read.
//
//   cell       i-1     i     i+1
//   u           o------o------o      read
//                \    / \    /
//   flux          f(i)   f(i+1)      evaluated at i and, shifted by one cell, at i+1
//                    \   /
//   next               o             written

#include <memory>
#include <vector>

#include "goban/program/fuse_list.hpp"

namespace goban::detail {

/// A stage of the functors of a list, whose graphs these are, without kernels. Errors
/// (ExitCode::usage): the list breaks a rule of GOBAN_FUSE_RULES, or a footprint has an error.
std::shared_ptr<Stage> fuse_graphs(FuseList list,
                                   const std::vector<std::shared_ptr<const Graph>>& graphs);

}  // namespace goban::detail
