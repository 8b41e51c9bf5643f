#pragma once
// Halos that are rounded on their way from rank to rank.

#include "goban/base/types.hpp"
#include "goban/grid/settings.hpp"

namespace goban {

/// What values of a type travel as.
ElementType type_on_the_way(ElementType type, HaloPrecision precision);

/// Dense values of one type as those of another, to nearest. Below 6.1e-5 the error of half is
/// absolute, up to 3e-8. Error (ExitCode::usage): a finite value is too large for `to_type`.
void convert(const std::byte* from, ElementType from_type, std::byte* to, ElementType to_type,
             Index count);

}  // namespace goban
