#pragma once
// Checkpoints on the nodes of a run: every rank writes its part to a folder of its node, which may
// lie in memory. Copies on the next node and parity over groups of nodes outlast the loss of nodes.
//
//   <folder>/<run>-<id>/0000100/part-00003       a rank's share of all arrays; its own or a copy
//   <folder>/<run>-<id>/0000100/parity-00000-01  what member 1 of group 0 keeps for the group
//   <folder>/<run>-<id>/0000100/manifest.json    on every node, when all of them have all of it

#include <memory>

#include "goban/checkpoint/nodes/generations.hpp"
#include "goban/checkpoint/nodes/layout.hpp"
#include "goban/checkpoint/nodes/lineage.hpp"
#include "goban/checkpoint/nodes/places.hpp"
#include "goban/checkpoint/nodes/record.hpp"
#include "goban/checkpoint/parts.hpp"
#include "goban/checkpoint/store.hpp"

namespace goban {

struct NodeStoreOptions {
  std::string folder;  ///< see nodes/folders.hpp
  std::string run;     ///< the name of the run's own folder in it, but for the id of its lineage
  int keep = 2;        ///< how many of the newest are kept that are protected as well, or better
  int group = 8;       ///< nodes that share parity, at least
  int parity = 1;      ///< members that a group may lose
  PartOptions parts = {};
  Lineage lineage = {};  ///< whose checkpoints count; without lives any
};

class NodeSurvey;

/// What is left of a checkpoint.
struct NodeVerdict {
  Manifest manifest;
  std::vector<std::string> problems;  ///< what is lost or damaged, in words
  bool can_restore = false;           ///< all parts are there, or can be made again
  bool is_gone = false;  ///< the run that saves here has removed it meanwhile: nothing to judge
};

class NodeStore : public CheckpointStore {
 public:
  NodeStore(NodeStoreOptions options, std::shared_ptr<Communicator> communicator);

  const NodeStoreOptions& options() const { return options_; }

  /// Whether there are enough nodes for it.
  bool has_nodes_for(Protection protection) const;
  /// Error (usage): these nodes cannot have it.
  void require_nodes_for(Protection protection) const;

  /// Returns when all nodes have it, durable, protected as far as these nodes can. Adds to `size`.
  /// Error (files).
  void save(const StateCopy& copy, Protection protection, PartSize* size = nullptr);

  std::vector<CheckpointEntry> entries() override;
  /// What nodes have lost is made again from copies or parity, and lies on the nodes then.
  CheckpointState restore(const CheckpointEntry& entry, const CheckpointSubject& subject,
                          const CheckpointLog& log) override;
  /// Error (no_checkpoint): no node has one that can be read.
  Manifest manifest_of(const CheckpointEntry& entry) override;
  std::string place() const override;

  /// A life of the run begins. Where it is the first, folders of earlier runs of this name go, but
  /// for the last.
  void begin_life(const Lineage& lineage);

  /// Makes again what is lost, and removes what is damaged. Returns the names of the files that
  /// were made. Error (no_checkpoint): more is lost than that.
  std::vector<std::string> repair(const CheckpointEntry& entry, const CheckpointLog& log);
  /// Nothing is changed. Error (no_checkpoint): no node has a manifest.
  NodeVerdict inspect(const CheckpointEntry& entry);

 private:
  bool leads_machine() const;
  std::string run_name() const;
  std::filesystem::path folder_of_rank(int rank) const;
  std::filesystem::path own_folder() const { return folder_of_rank(communicator_->rank()); }
  /// The folders of this run on all nodes that this machine sees.
  std::vector<std::filesystem::path> run_folders() const;
  std::vector<std::filesystem::path> folders_of_others() const;
  Generations committed();
  Manifest manifest_on_nodes(Index step, std::vector<std::string>& problems);
  NodeSurvey survey_of(Manifest manifest);
  std::vector<std::string> make_again(NodeSurvey& survey, const CheckpointLog& log);
  void keep(const Manifest& manifest);
  void remove_unwanted(bool uncommitted_alone);

  NodeStoreOptions options_;
  std::shared_ptr<Communicator> communicator_;
  NodeLayout layout_;
  Generations kept_;  ///< checkpoints of this past on all nodes together
};

/// What this machine sees of the checkpoints that a run has noted.
std::unique_ptr<NodeStore> store_of(const NodeRecord& record);

}  // namespace goban
