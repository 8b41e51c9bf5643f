#pragma once
// Commands in their final order: what may be submitted together is, so that devices wait for each
// other once and not for every dependence between them.

#include <vector>

#include "goban/lowering/command.hpp"

namespace goban {

class CommandOrder {
 public:
  explicit CommandOrder(const Bindings& bindings, const Patches& patches)
      : bindings_(bindings), patches_(patches), hazards_(bindings.before) {}

  /// Work of a queue that touches these cells; what it waits for is found out.
  void add(Command command, std::vector<Touch> touches);
  /// The host does this when what was added before has been submitted.
  void add_for_host(Command command);
  /// What was added stands before what is to come.
  void flush();

  const std::vector<Command>& commands() const { return commands_; }
  /// After flush().
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
  std::vector<Pending> together_;  ///< none waits for another, other queues than its own concerned
};

}  // namespace goban
