#pragma once
// What goban tune has found for a case, and where it is kept.

#include <string>

#include "cli/context.hpp"
#include "goban/io/case/file.hpp"
#include "goban/runtime/tuned.hpp"

namespace goban::cli {

/// The case as tuning knows it: two of one application, of the same program on a grid of the same
/// size and with the same settings fixed, are the same. Empty: it has no sweeps over a grid.
std::string tuned_name(const Application& application, const Case& values);

/// Settings of the case, where what it leaves open is as it was tuned on this machine, by this
/// build, for this program and size, if it was; a line says so. Collective.
Settings tuned_settings(const Context& context, const Application& application, const Case& values);

}  // namespace goban::cli
