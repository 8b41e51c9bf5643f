#pragma once
// What is left of a checkpoint on the nodes.

#include "goban/checkpoint/nodes/recombine.hpp"
#include "goban/checkpoint/parts.hpp"

namespace goban {

/// What the index of a file of parity says.
nlohmann::ordered_json parity_about(Index step, std::size_t group, int member);

/// Where the files of a checkpoint can be read, the same on every rank but for the paths.
class NodeSurvey {
 public:
  /// Collective. `folders`: of this checkpoint, as this machine sees them. Every file is read to
  /// its last byte by one of the ranks that see it.
  NodeSurvey(Communicator& communicator, Manifest manifest,
             std::vector<std::filesystem::path> folders);

  const Manifest& manifest() const { return manifest_; }
  /// By their numbers, and by group and member.
  const std::vector<ReadableFile>& parts() const { return parts_; }
  const std::vector<GroupFiles>& groups() const { return groups_; }
  /// What is lost or damaged, in words; on the first rank that of all.
  const std::vector<std::string>& problems() const { return problems_; }

  bool has_all_parts() const;
  /// Both are collective, make again what is lost and return the names of these files; `home` is
  /// where this rank puts them. Errors (no_checkpoint): too much is lost; (files).
  std::vector<std::string> rebuild_parts(const std::filesystem::path& home);
  /// All parts are there.
  std::vector<std::string> rebuild_parity(const std::filesystem::path& home);
  /// Parts of which this rank is the reader.
  std::vector<BlockFile> own_parts() const;

 private:
  struct Found {
    const StoredPart* stored;
    ReadableFile* file;
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
  std::vector<std::string> make(const std::vector<Lost>& lost, const std::filesystem::path& home);
  void find(const std::vector<std::filesystem::path>& folders);
  void fill_groups();
  void note(const std::string& problem);

  Communicator& communicator_;
  Manifest manifest_;
  std::vector<ReadableFile> parts_;
  std::vector<GroupFiles> groups_;
  std::vector<std::string> problems_;
};

}  // namespace goban
