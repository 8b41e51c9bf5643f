#pragma once
// The state of a run at one moment, copied to memory of its processes: what is saved from it stays
// as it was while the run goes on.

#include <memory>
#include <thread>
#include <vector>

#include "goban/base/aligned_memory.hpp"
#include "goban/base/communicator.hpp"
#include "goban/checkpoint/content.hpp"

namespace goban {

class StateCopy {
 public:
  /// What this rank has of an array.
  struct Share {
    Box box;
    AlignedMemory values;   ///< x fastest, component slowest
    std::size_t bytes = 0;  ///< there is room for
  };

  /// Gets the memory of a copy to come. The machine gives out its pages while the caller goes on,
  /// so that take() need not wait for them.
  void reserve(const CheckpointSubject& subject, int ranks, int rank);
  /// Collective. Copies this rank's share of every array; memory of an earlier one is used again.
  void take(const CheckpointSubject& subject, const CheckpointState& state, int ranks, int rank);

  const CheckpointState& state() const { return state_; }
  /// The same arrays, which give the values copied; their collective calls are of `communicator`.
  CheckpointSubject subject(Communicator& communicator) const;
  /// Without functions; per array the share is at the same place.
  const CheckpointSubject& description() const { return subject_; }
  const std::vector<Share>& shares() const { return shares_; }

 private:
  void make_room(const CheckpointSubject& subject, int ranks, int rank);

  CheckpointSubject subject_;
  CheckpointState state_;
  std::vector<std::vector<Box>> boxes_;  ///< per array and rank
  std::vector<Share> shares_;
  std::jthread pages_;  ///< asks for them; ends before they do
};

}  // namespace goban
