#pragma once
// All families of functors, by what is special about them.

#include <vector>

#include "tests/fuzz/program_draft.hpp"

namespace goban::fuzz {

std::vector<Family> neighbor_families();
std::vector<Family> far_families();
std::vector<Family> component_families();
std::vector<Family> several_field_families();
std::vector<Family> staggered_families();
std::vector<Family> integer_families();
std::vector<Family> decision_families();
std::vector<Family> site_families();
std::vector<Family> math_families();
std::vector<Family> column_families();
std::vector<Family> reduction_families();
/// They read another grid than they write.
std::vector<Family> between_families();

/// All but these two.
const std::vector<Family>& all_families();

}  // namespace goban::fuzz
