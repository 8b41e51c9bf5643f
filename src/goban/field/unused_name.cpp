#include "goban/field/unused_name.hpp"

#include <algorithm>

namespace goban {

std::string unused_name(const GridState& grid, const std::string& name) {
  const auto& known = grid.root->fields;
  const auto is_used = [&](const std::string& one) {
    return std::any_of(known.begin(), known.end(),
                       [&](const auto& field) { return field && field->name == one; });
  };
  std::string unused = name;
  for (int n = 2; is_used(unused); ++n) unused = name + " " + std::to_string(n);
  return unused;
}

}  // namespace goban
