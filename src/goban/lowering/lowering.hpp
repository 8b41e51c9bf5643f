#pragma once
// Lowers a schedule operation by operation and follows what halos hold on the way.

#include <set>

#include "goban/lowering/command_order.hpp"
#include "goban/lowering/lower.hpp"
#include "goban/program/samples.hpp"

namespace goban {

class BlockedPlan;

/// The state of one call of lower(). Its functions are spread over lower.cpp, lower_halos.cpp,
/// lower_messages.cpp, lower_passes.cpp and lower_sweeps.cpp.
class Lowering {
 public:
  Lowering(const Schedule& schedule, const Slots& slots, const Bindings& bindings);

  CommandList run(int steps_per_pass);

 private:
  const Instance& instance(int id) const {
    return schedule_.cycle.instances[static_cast<std::size_t>(id)];
  }
  const Version& version(int v) const {
    return schedule_.cycle.versions[static_cast<std::size_t>(v)];
  }
  int fields() const { return static_cast<int>(place_.size() / 2); }
  /// Returns the memory that a slot's field is bound to at this point of the cycle.
  MemoryNumber memory(int slot) const {
    return place_[static_cast<std::size_t>(slots_.field(slot).id)];
  }
  BufferState::Entry& buffer(int slot) { return entries_[static_cast<std::size_t>(memory(slot))]; }
  const FieldLayout& layout(MemoryNumber memory, int patch) const {
    return bindings_.layouts[static_cast<std::size_t>(memory)][schedule_.patches.position(patch)];
  }
  Command command(int patch, Stream stream) const;
  void host(decltype(Command::what) what);
  CommandList finish();

  /// Lowers one operation, or several that belong together, and returns the number of the next.
  std::size_t next(std::size_t i);
  void sweep(const Operation& op);
  Sweep sweep_of(const Operation& op) const;
  static Box sampled(const Samples& samples, const Samples::Part& part, const PatchGeometry& patch);
  std::vector<Touch> touches_of(const Sweep& sweep, const Operation& op) const;
  void count(Command& command, const Sweep& sweep) const;
  bool stands_beside_reductions(const Operation& op) const;
  void combine_all();
  void combine(int instance);
  void sample(const Operation& op);

  void begin_exchange(int id);
  void end_exchange(int id);
  bool is_skipped(int exchange, int item, int axis) const;
  bool is_there(const Operation& fill);
  bool is_constant(const Operation& op) const;
  std::array<ComponentHalo::Constants, 3> constants(const Component& what) const;
  void begin_sweeps(int id);
  std::set<int> sent_to_ranks(const std::vector<MadeHalo>& made) const;
  void meet_ranks(const std::set<MemoryNumber>& used, const std::set<MemoryNumber>& sent);
  void rank_barrier();
  void move_in_place(int id);
  void mark(const MadeHalo& made);

  std::size_t copies_and_fills(std::size_t first);
  CellCopy copy_of(const Operation& op, const Piece& piece) const;
  GhostFill fill_of(const Operation& op) const;
  Touch touch(MemoryNumber memory, int patch, int component, const Box& box, bool writes) const;
  void touch_fill(const GhostFill& fill, std::vector<Touch>& touches) const;
  double bytes_of(const Component& what, const Box& box) const;
  Box cells_of(const CellCopy& copy, MessageEnd end) const;

  /// The messages that the group of devices moves at once: those of an exchange or, if it has
  /// corners, of one of its axes.
  struct Phase {
    int exchange = -1, axis = -1;
    bool operator==(const Phase&) const = default;
  };
  Phase phase_of(const Operation& message) const;
  bool is_skipped(const Operation& message) const;
  const ChannelBinding& channel_of(const Operation& message) const;
  HaloMessage message_of(const Operation& op) const;
  void touch_message(const HaloMessage& message, std::vector<Touch>& touches) const;
  template <class What>
  void add_messages(const Operation& leader, What what, std::vector<Touch> touches);
  std::size_t messages(std::size_t first);
  std::size_t hand_over(std::size_t first);
  std::size_t by_group(std::size_t first);
  void by_host(const Operation& op);

  struct PassVersions;
  PassVersions pass_versions(const BlockedPlan& plan);
  MemoryNumber spare_of(int slot);
  void in_passes(int steps_per_pass);
  void pass(int first, int last);
  BlockedSweeps::Step blocked(int id, const PatchGeometry& patch,
                              const PassVersions& versions) const;
  std::vector<MadeHalo> made_by_pass(const BlockedPlan& plan, const PassVersions& versions) const;
  std::vector<CellCopy> sends_of(int id, int patch, const PassVersions& versions) const;
  bool is_reduced_again(int id) const;
  void add_pass(Command command, BlockedSweeps pass);

  const Schedule& schedule_;
  const Slots& slots_;
  const Bindings& bindings_;
  CommandOrder order_;
  CommandList list_;
  int step_ = 0;
  std::vector<MemoryNumber> place_;          ///< the memory that fields and spares are bound to
  std::vector<BufferState::Entry> entries_;  ///< by memory
  /// By memory: the one that dependences are found by; both names of a pair stored in place share
  /// it.
  std::vector<MemoryNumber> shared_;
  /// How often the cells of fields stored in place have moved.
  std::map<MemoryNumber, Index> moves_;
  /// By exchange, item and axis: whether the halo is still valid.
  std::vector<std::vector<std::array<bool, 3>>> skipped_;
  Phase transferred_;         ///< the latest phase that was started
  int passes_ = 0;            ///< the number of passes so far
  std::vector<int> reduced_;  ///< reductions whose partial results are not combined yet
};

}  // namespace goban
