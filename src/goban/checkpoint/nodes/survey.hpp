#pragma once
// What is left of a checkpoint on the nodes.

#include <set>

#include "goban/checkpoint/nodes/copies.hpp"
#include "goban/checkpoint/nodes/places.hpp"
#include "goban/checkpoint/nodes/recombine.hpp"
#include "goban/checkpoint/parts.hpp"

namespace goban {

/// What the index of a file of parity says.
nlohmann::ordered_json parity_about(Index step, std::size_t group, int member);

/// Where the files of a checkpoint can be read, the same on every rank but for the paths.
class NodeSurvey {
 public:
  /// Collective. `folders`: of this run, as this machine sees them. Every file is read to its last
  /// byte by one of the ranks that see it.
  NodeSurvey(Communicator& communicator, Manifest manifest,
             std::vector<std::filesystem::path> folders, Places places);

  const Manifest& manifest() const { return manifest_; }
  /// What is lost or damaged, in words.
  const std::vector<std::string>& problems() const { return problems_; }

  bool has_all_parts() const;
  /// All parts are there, or can be made again.
  bool is_enough() const;
  /// All are collective, make again what is lost where there is room, rather on nodes that have
  /// nothing else of the group, and return the names of these files.
  /// Errors (no_checkpoint): too much is lost; (files).
  std::vector<std::string> rebuild_parts();
  /// All parts are there.
  std::vector<std::string> rebuild_parity();
  std::vector<std::string> rebuild_copies();
  /// Not collective: what is damaged still, and of no use.
  void remove_damaged() const;
  /// How many files found no node that keeps nothing else of their group.
  int crowded() const { return choice_.crowded(); }
  /// Parts of which this rank is the reader. Errors (no_checkpoint); (resources): too many.
  std::vector<BlockFile> own_parts() const;

 private:
  struct Found {
    const StoredPart* stored;
    ReadableFile* file;
    bool has_copy;
  };
  struct Lost {
    std::size_t group;
    int member;
    bool is_parity;
    StoredPart stored;
    ReadableFile* file;
  };
  std::vector<Found> all_files();
  std::vector<Lost> lost_files(bool parity);
  std::vector<std::string> make(const std::vector<Lost>& lost);
  void find();
  void fill_groups();
  int place_for(std::size_t group, int member, Index bytes);
  /// The folder of this checkpoint.
  std::filesystem::path folder_at(int place) const;

  Communicator& communicator_;
  Manifest manifest_;
  std::vector<std::filesystem::path> folders_;
  Places places_;
  PlaceChoice choice_;
  std::vector<ReadableFile> parts_;
  std::vector<GroupFiles> groups_;
  std::vector<int> without_copy_;  ///< parts that are at one place alone
  std::vector<std::pair<std::filesystem::path, StoredPart>> damaged_;  ///< that this rank has read
  std::vector<std::string> problems_;
};

}  // namespace goban
