#pragma once
// Puts commands into their final order. Commands that may run side by side are submitted together,
// so that devices wait for each other once and not for every dependence between them.

#include <vector>

#include "goban/lowering/command.hpp"

namespace goban {

/// Collects commands, finds out what each waits for, and inserts device barriers. Lowering fills
/// it.
class CommandOrder {
 public:
  explicit CommandOrder(const Bindings& bindings, const Patches& patches)
      : bindings_(bindings), patches_(patches), hazards_(bindings.before) {}

  /// Adds work for an executor's queue that touches these cells.
  void add(Command command, std::vector<Touch> touches);
  /// Adds a command that the host does once everything added before has been submitted.
  void add_for_host(Command command);
  /// Puts everything that was added before everything that is added later.
  void flush();

  const std::vector<Command>& commands() const { return commands_; }
  /// Takes the commands; flush() must have been called.
  std::vector<Command> take() { return std::move(commands_); }
  Hazards& hazards() { return hazards_; }

 private:
  struct Pending {
    Command command;
    Queue queue;
    std::vector<Touch> touches;
  };
  const Bindings::Computer& computer(int patch) const {
    return bindings_.computers[patches_.position(patch)];
  }
  bool follows_other_queue(const std::vector<Touch>& touches, const Queue& queue) const;
  void wait_for_devices();

  const Bindings& bindings_;
  const Patches& patches_;
  Hazards hazards_;
  std::vector<Command> commands_;
  std::vector<Pending> together_;  ///< commands since flush(): none waits for one of another queue
};

}  // namespace goban
