#pragma once
// Which checkpoints are of a run's own past, whatever else lies on the nodes.

#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// The lives of a run: it begins one when it starts and one with every restart. Each has an id,
/// which its manifests bear. What a life saved after the step from which the next one went on is
/// of a past that the run has left.
class Lineage {
 public:
  struct Life {
    std::string id;   ///< empty: of the time before there were ids
    Index from = -1;  ///< the step it went on from; -1: it began the run
  };

  const std::vector<Life>& lives() const { return lives_; }
  /// Lives that went on from this step or from a later one have left nothing of this past.
  void add(std::string id, Index from);
  /// Whether a checkpoint of this life and step is of this past; without lives any is.
  bool has(const std::string& id, Index step) const;
  /// The life that saves; empty without.
  std::string id() const { return lives_.empty() ? "" : lives_.back().id; }
  /// The name of the folder of a run: with the id of its first life, so that runs that begin anew
  /// never meet the files of earlier ones.
  std::string folder_of(const std::string& run) const;

 private:
  std::vector<Life> lives_;
};

/// Nobody else's: 16 hexadecimal digits.
std::string new_life_id();

}  // namespace goban
