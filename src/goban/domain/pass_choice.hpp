#pragma once
// How many time steps one pass through cache should take.

#include <memory>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban {

/// 1 where single sweeps are as fast: data that fits the cache anyway, stages bound by arithmetic,
/// reaches so long that tiles would mostly recompute their edges.
/// `bytes`: of all fields of one patch.
int suggested_pass(const std::vector<std::shared_ptr<Stage>>& stages, double bytes);

}  // namespace goban
