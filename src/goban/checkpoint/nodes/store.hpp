#pragma once
// Checkpoints on the nodes of a run: every rank writes its part to a folder of its node, which may
// lie in memory. Copies on the next node and parity over groups of nodes outlast the loss of nodes.
//
//   <folder>/<run>/0000100/part-00003        a rank's share of all arrays; its own or a copy
//   <folder>/<run>/0000100/parity-00000-01   what member 1 of group 0 keeps for the group
//   <folder>/<run>/0000100/manifest.json     on every node, when all of them have all of it
//   <folder>/<run>.old                       of the run before this one

#include <map>
#include <memory>

#include "goban/checkpoint/nodes/layout.hpp"
#include "goban/checkpoint/parts.hpp"
#include "goban/checkpoint/store.hpp"

namespace goban {

struct NodeStoreOptions {
  std::string folder;  ///< see nodes/folders.hpp
  std::string run;     ///< the name of the run's own folder in it
  int keep = 2;        ///< how many of the newest are kept that are protected as well, or better
  int group = 8;       ///< nodes that share parity, at least
  int parity = 1;      ///< members that a group may lose
  PartOptions parts = {};
};

class NodeSurvey;

enum class Protection : std::uint8_t { none, copies, parity };

class NodeStore : public CheckpointStore {
 public:
  /// Error (usage): copies or parity, which are wanted, over too few nodes.
  NodeStore(NodeStoreOptions options, std::shared_ptr<Communicator> communicator,
            const std::vector<Protection>& wanted = {});

  const NodeStoreOptions& options() const { return options_; }

  /// Returns when all nodes have it, durable. Adds to `size`. Error (files).
  void save(const StateCopy& copy, Protection protection, PartSize* size = nullptr);

  std::vector<CheckpointEntry> entries() override;
  /// What nodes have lost is made again from copies or parity, and lies on the nodes then.
  CheckpointState restore(const CheckpointEntry& entry, const CheckpointSubject& subject,
                          const CheckpointLog& log) override;
  void set_aside_after(Index step) override;
  std::string set_aside_all() override;
  std::string place() const override;

  /// Error (no_checkpoint): no node has one that can be read.
  Manifest manifest_of(Index step) const;
  /// Makes lost parts and lost parity again. Returns the names of the files that were made.
  /// Error (no_checkpoint): more is lost than that.
  std::vector<std::string> repair(const CheckpointEntry& entry, const CheckpointLog& log);
  /// The manifest and everything that is lost or damaged; nothing is changed.
  /// Error (no_checkpoint): no node has a manifest.
  Manifest inspect(const CheckpointEntry& entry, std::vector<std::string>& lost);

 private:
  bool leads_machine() const;
  std::filesystem::path own_folder() const;
  /// Of this run, on all nodes that this machine sees.
  std::vector<std::filesystem::path> run_folders() const;
  /// Of a step, as this machine sees them.
  std::vector<std::filesystem::path> folders_of(Index step) const;
  void add_copies(const std::filesystem::path& folder, const std::vector<StoredPart>& parts);
  void add_parity(const std::filesystem::path& folder, Manifest& manifest);
  void make_again(NodeSurvey& survey, const CheckpointLog& log);
  void keep(const Manifest& manifest);
  void remove_old(Index newest, Protection protection);

  NodeStoreOptions options_;
  std::shared_ptr<Communicator> communicator_;
  NodeLayout layout_;
  std::map<Index, Protection> kept_;  ///< on this node, by step
};

}  // namespace goban
