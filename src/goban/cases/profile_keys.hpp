#pragma once
// Profiles as tables of a case file.

#include <string>
#include <vector>

#include "goban/cases/profile.hpp"
#include "goban/io/case/file.hpp"

namespace goban {

/// Keys of a table that says where something is: shape, center, radius, lower, upper.
void declare_profile(CaseSchema& table, const std::vector<std::string>& shapes);
/// Those that terms of initial values have beside them: waves, functions, file.
void declare_pattern(CaseSchema& table);

/// Amplitude 1. Error: a round shape without a radius.
Profile read_profile(const Case& row, const Case& values);
/// Errors: unknown functions, an image without a file or a file without an image.
void read_pattern(Profile& profile, const Case& row, const Case& values);

}  // namespace goban
