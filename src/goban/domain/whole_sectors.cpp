#include "goban/domain/whole_sectors.hpp"

namespace goban {

void copy_whole_sectors(CopyTask& task, const FieldLayout& layout) {
  constexpr Index sector_bytes = 32;
  const auto [fast, middle, slow] = layout.order;
  const Index sector = sector_bytes / static_cast<Index>(size_of(layout.type));
  const Index cells = layout.owned[fast];
  Index &from = task.source_box.lower[fast], &from_end = task.source_box.upper[fast];
  Index &to = task.target_box.lower[fast], &to_end = task.target_box.upper[fast];
  const bool is_along_rows = task.source_box.lower[middle] == task.target_box.lower[middle] &&
                             task.source_box.lower[slow] == task.target_box.lower[slow];
  const bool has_room = layout.ring == 0 && layout.stride[middle] - cells >= 2 * sector;
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
