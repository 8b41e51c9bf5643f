#pragma once
// Checkpoints of several ranks: the first one writes and reads the files.

#include <memory>

#include "goban/base/communicator.hpp"
#include "goban/checkpoint/store.hpp"

namespace goban {

/// Collective. While the first rank's own store asks for values or gives some back, the others have
/// their part in it; they get the same state, or the same error.
class SharedStore : public CheckpointStore {
 public:
  /// `own`: of the first rank; unused on others.
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
  /// What the first rank does with the arrays of `subject`; the others follow.
  void together(const CheckpointSubject& subject,
                const std::function<void(const CheckpointSubject& subject)>& work);

  std::unique_ptr<CheckpointStore> own_;
  std::shared_ptr<Communicator> communicator_;
};

}  // namespace goban
