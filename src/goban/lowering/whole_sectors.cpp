#include "goban/lowering/whole_sectors.hpp"

#include <algorithm>

namespace goban {

void copy_whole_sectors(Box& source, Box& target, const FieldLayout& layout) {
  constexpr Index sector_bytes = 32;
  const auto [fast, middle, slow] = layout.order;
  const Index sector = sector_bytes / static_cast<Index>(size_of(layout.type));
  const Index cells = layout.owned[fast];
  Index &from = source.lower[fast], &from_end = source.upper[fast];
  Index &to = target.lower[fast], &to_end = target.upper[fast];
  const bool is_along_rows =
      source.lower[middle] == target.lower[middle] && source.lower[slow] == target.lower[slow];
  // The sector beyond the end of a row must not reach the ghosts before the next one.
  const Index widest = std::max({sector, layout.halo.low[fast], layout.halo.high[fast]});
  const bool has_room = layout.ring == 0 && layout.stride[middle] - cells >= sector + widest;
  if (!is_along_rows || !has_room || to_end - to >= sector || cells < sector) return;
  if (to_end == 0 && from_end == cells) {
    to = -sector;
    from = cells - sector;
  } else if (to == cells && from == 0 && cells % sector == 0) {
    to_end = cells + sector;
    from_end = sector;
  }
}

}  // namespace goban
