#include "goban/program/moves.hpp"

namespace goban {
namespace {

using Kind = Operation::Kind;

class Moves {
 public:
  Moves(Schedule& schedule, const Slots& slots, int instance)
      : schedule_(schedule),
        instance_(instance),
        from_(its().slot[0]),
        to_(its().slot[1]),
        sent_(slots.field(from_)),
        received_(slots.field(to_)) {}

  void add() {
    Exchange exchange;
    exchange.moves = true;
    for (int c = 0; c < received_.components; ++c) {
      exchange.items.push_back({its().writes[1], {to_, c}, {}});
    }
    schedule_.exchanges.push_back(std::move(exchange));
    add(Kind::begin_exchange);
    const Patches& patches = schedule_.patches;
    for (const PatchGeometry& source : patches.of_grid(sent_.grid)) {
      each_patch(received_.grid, [&](const PatchGeometry& target) {
        if (!patches.is_local(target.patch)) add(Kind::send, source, target);
      });
    }
    for (const bool is_local : {true, false}) {
      for (const PatchGeometry& target : patches.of_grid(received_.grid)) {
        each_patch(sent_.grid, [&](const PatchGeometry& source) {
          if (patches.is_local(source.patch) != is_local) return;
          add(is_local ? Kind::copy : Kind::receive, source, target);
        });
      }
    }
    add(Kind::end_exchange);
  }

 private:
  const Instance& its() const {
    return schedule_.cycle.instances[static_cast<std::size_t>(instance_)];
  }
  template <class Visit>
  void each_patch(int grid, Visit&& visit) const {
    const Patches& patches = schedule_.patches;
    for (int n = 0; n < patches.decomposition(grid).patches(); ++n) {
      visit(patches.geometry(patches.first(grid) + n));
    }
  }

  Operation operation(Kind kind) const {
    Operation op;
    op.kind = kind;
    op.instance = instance_;
    op.exchange = static_cast<int>(schedule_.exchanges.size()) - 1;
    return op;
  }
  void add(Kind marker) { schedule_.operations.push_back(operation(marker)); }

  /// The cells that both have.
  void add(Kind kind, const PatchGeometry& source, const PatchGeometry& target) {
    const auto values = [&](const PatchGeometry& patch) {
      return shifted(patch.owned_local(received_.location), patch.owned.lower);
    };
    const Box shared = intersection(values(source), values(target));
    if (shared.empty()) return;
    Operation op = operation(kind);
    op.moves = true;
    op.patch = kind == Kind::send ? source.patch : target.patch;
    op.other_patch = kind == Kind::send ? target.patch : source.patch;
    for (int c = 0; c < received_.components; ++c) {
      op.pieces.push_back({{to_, c},
                           c,
                           shifted(shared, Index3{} - source.owned.lower),
                           shifted(shared, Index3{} - target.owned.lower),
                           from_});
    }
    schedule_.operations.push_back(std::move(op));
  }

  Schedule& schedule_;
  int instance_;
  int from_, to_;  ///< slots
  const FieldRecord& sent_;
  const FieldRecord& received_;
};

}  // namespace

void add_moves(Schedule& schedule, const Slots& slots, int instance) {
  Moves(schedule, slots, instance).add();
}

}  // namespace goban
