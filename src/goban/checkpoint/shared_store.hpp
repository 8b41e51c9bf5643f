#pragma once
// Checkpoints of several ranks: they are saved together, the first rank reads.

#include <memory>

#include "goban/base/communicator.hpp"
#include "goban/checkpoint/store.hpp"

namespace goban {

/// Collective. Own stores save together. While the first rank's gives values back, the others have
/// their part in it; they get the same state, or the same error.
class SharedStore : public CheckpointStore {
 public:
  /// `own`: saves collectively; all else is asked of the first rank's alone.
  SharedStore(std::unique_ptr<CheckpointStore> own, std::shared_ptr<Communicator> communicator);

  void save(const CheckpointSubject& subject, const CheckpointState& state) override;
  std::optional<CheckpointState> load(const CheckpointChoice& choice,
                                      const CheckpointSubject& subject, const Log& log) override;
  void set_aside_after(Index step) override;
  /// Empty on all ranks but the first.
  std::string set_aside_all() override;
  std::string describe() const override { return own_ ? own_->describe() : std::string(); }

 private:
  bool is_first() const { return communicator_->rank() == 0; }
  std::unique_ptr<CheckpointStore> own_;
  std::shared_ptr<Communicator> communicator_;
};

}  // namespace goban
