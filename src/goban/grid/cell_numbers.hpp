#pragma once
// Cells that are copied one by one, by their local numbers.

#include <cstdint>
#include <vector>

namespace goban {

/// Cell source[i] goes to cell target[i]; where one of both is empty the cells lie there one after
/// the other, as in messages.
struct CellNumbers {
  std::vector<std::int32_t> source, target;
  std::size_t size() const { return source.empty() ? target.size() : source.size(); }
};

}  // namespace goban
