#pragma once
// Where files that are made again may go: to nodes that keep nothing else of their group, as long
// as there are any with room.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/checkpoint/nodes/layout.hpp"

namespace goban {

/// A folder of the run that fails as one.
struct Place {
  int rank = 0;                  ///< who writes there
  std::filesystem::path folder;  ///< as its machine sees it
  Index room = 0;                ///< bytes
};

struct Places {
  std::vector<Place> all;
  std::vector<int> home_of;  ///< for each rank, the place where its node keeps files; -1: none
  std::vector<int> machine_of;

  /// The place of a folder that `rank` sees; -1: none that can be written.
  int index_of(const std::filesystem::path& folder, int rank) const;
};

/// Collective; the same on all ranks. Every rank names the folder of its node, and `others` that it
/// sees and that are no node's now.
Places gather_places(Communicator& communicator, const NodeLayout& layout,
                     const std::filesystem::path& own,
                     const std::vector<std::filesystem::path>& others);

/// Chooses places one file after the other.
class PlaceChoice {
 public:
  explicit PlaceChoice(const Places& places);

  /// For a file of a member of a group of files. `taken`: by member, where the group has files, -1
  /// for none; `home`: where it is best.
  int choose(const std::vector<std::set<int>>& taken, int member, int home, Index bytes);
  /// How many found no node without files of other members.
  int crowded() const { return crowded_; }

 private:
  std::vector<Place> places_;
  std::vector<int> given_;
  int crowded_ = 0;
};

}  // namespace goban
