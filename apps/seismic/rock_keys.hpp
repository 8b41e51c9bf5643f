#pragma once
// The keys of rock.

#include <optional>

#include "goban/io/case/file.hpp"
#include "seismic/model.hpp"

namespace goban::seismic {

void declare_rock_keys(CaseSchema& schema);

/// Errors (ExitCode::usage, naming the key): rock that cannot be. Error (ExitCode::files): a file
/// that cannot be read.
Medium read_medium(const Case& values);

/// The band of losses; none if no rock loses energy. Error (ExitCode::usage).
std::optional<Band> read_band(const Case& values, const Medium& medium);

}  // namespace goban::seismic
