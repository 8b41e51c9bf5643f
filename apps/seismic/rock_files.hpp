#pragma once
// Rock cell by cell from files, which may be larger than memory.

#include <array>

#include "goban/io/case/file.hpp"
#include "goban/io/image/image_source.hpp"
#include "seismic/model.hpp"

namespace goban::seismic {

/// The files medium.vp, medium.vs and medium.density of a case, looked at box by box.
class RockFiles {
 public:
  /// Error (usage, naming the key): one is missing or does not fit the grid. Error (files).
  explicit RockFiles(const Case& values);

  /// Reads a box. Error (usage): values that no rock has, with their cell. Error (files).
  void show(const Box& box);
  /// The rock of a cell in the box that was read last; for several threads.
  Rock at(Index3 cell) const {
    return {windows_[0].at(cell), windows_[1].at(cell), windows_[2].at(cell)};
  }
  /// Collective: each rank reads its part of the files.
  SpeedRange speeds(Communicator& ranks);

 private:
  Case values_;
  Index3 extents_;
  std::array<ImageWindow, 3> windows_;
};

}  // namespace goban::seismic
