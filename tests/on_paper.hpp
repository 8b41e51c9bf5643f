#pragma once
// A program over a grid without data, and what becomes of it: cycles and schedules as plain values.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "goban/goban.hpp"
#include "goban/program/schedule.hpp"
#include "tests/domain/decomposition/no_store.hpp"

namespace goban::test {

struct Copy {
  GOBAN_FUNCTION void operator()(auto from, auto to) const { to = from(); }
};
struct Add {
  GOBAN_FUNCTION void operator()(auto from, auto to) const { to += from(); }
};
/// Reads one cell up and two down along an axis.
template <int axis>
struct Look {
  GOBAN_FUNCTION void operator()(auto from, auto to) const {
    constexpr int x = axis == 0, y = axis == 1, z = axis == 2;
    to = from(x, y, z) - from(-2 * x, -2 * y, -2 * z);
  }
};
/// Reads the cells beside one along two axes, one apart from the other.
struct Cross {
  GOBAN_FUNCTION void operator()(auto from, auto to) const {
    to = from(1, 0, 0) + from(-1, 0, 0) + from(0, 1, 0) + from(0, -1, 0);
  }
};
struct Diagonal {
  GOBAN_FUNCTION void operator()(auto from, auto to) const { to = from(1, 1, 0) + from(-1, -1, 0); }
};
struct Value {
  GOBAN_FUNCTION auto operator()(auto u) const { return u(); }
};

/// Three fields, and a program over them. Slots are those of all fields of the family, in the order
/// in which they were declared.
struct Paper : NoStore {
  explicit Paper(Index3 cells, const BoundarySet& boundary = periodic)
      : NoStore(Settings{}),
        grid(*this, {.cells = cells, .boundary = boundary}),
        u(grid, "u"),
        next(grid, "next"),
        v(grid, "v") {}

  Slots slots() const {
    Slots all;
    for (const auto& field : grid.state()->fields) {
      all.add(field, member_of(grid.state(), field->grid));
    }
    return all;
  }
  Cycle cycle(int steps = 1, bool recompute = false) const {
    return cycle(CycleOptions{steps, recompute, {}});
  }
  /// All names are alive unless it is said which.
  Cycle cycle(CycleOptions options) const {
    const Slots all = slots();
    options.alive.resize(static_cast<std::size_t>(all.size()), options.alive.empty());
    return analyze(step.stages(), all, options);
  }
  Schedule schedule(const Decomposition& decomposition, const ScheduleOptions& options = {},
                    int steps = 1, int rank = 0) const {
    const CycleOptions cycles{steps, false, {}, {decomposition.cuts}};
    return make_schedule(cycle(cycles), slots(), Patches(decomposition, *grid.state(), rank),
                         options);
  }
  /// Extents of patches along each axis, as "4,4"; empty: it is not cut.
  Decomposition cut(const std::string& x, const std::string& y = "",
                    const std::string& z = "") const {
    return cut_explicitly(grid.cells(), {x, y, z});
  }

  Grid grid;
  Field<float> u, next, v;
  Program step{"step"};
};

/// A decomposition whose patches each have a rank of their own.
inline Decomposition ranked(Decomposition decomposition) {
  decomposition.ranks = decomposition.process_grid();
  return decomposition;
}

inline std::string text_of(int axis, Side side) {
  return std::string(1, "xyz"[axis]) + (side == Side::low ? "-" : "+");
}

/// One line for an operation; a halo is named by the patch and the side where it is, "~" stands
/// before what is put into the queue for halos.
inline std::string text_of(const Operation& op, const Schedule& schedule, const Slots& slots) {
  using Kind = Operation::Kind;
  const auto stage = [&] {
    return schedule.cycle.instances[static_cast<std::size_t>(op.instance)].stage->name;
  };
  const auto patch = std::to_string(op.patch), other = std::to_string(op.other_patch);
  const auto names = [](std::vector<std::string> all) {
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::string text;
    for (const std::string& name : all) text += " " + name;
    return text;
  };
  std::vector<std::string> pieces;
  for (const Piece& piece : op.pieces) pieces.push_back(slots.field(piece.what.slot).name);
  const std::string halo = " " + text_of(op.axis, op.side) + names(pieces);
  const std::string queue = op.stream == Stream::halo ? "~" : "";
  switch (op.kind) {
    case Kind::begin_exchange: {
      std::vector<std::string> items;
      for (const auto& item : schedule.exchanges[static_cast<std::size_t>(op.exchange)].items) {
        items.push_back(slots.field(item.what.slot).name);
      }
      return "exchange" + names(items);
    }
    case Kind::send: return queue + "send " + patch + ">" + other + halo;
    case Kind::copy: return queue + "copy " + other + ">" + patch + halo;
    case Kind::receive: return queue + "receive " + other + ">" + patch + halo;
    case Kind::fill:
      return queue + "fill " + patch + " " + text_of(op.axis, op.side) + " " +
             slots.field(op.what.slot).name;
    case Kind::end_exchange: return "exchanged";
    case Kind::begin_sweeps: return "begin " + stage();
    case Kind::sweep: return queue + stage() + " " + patch + " " + to_string(op.box);
    case Kind::combine: return "combine " + stage();
    case Kind::compute: return "compute";
    case Kind::sample: return "sample";
  }
  return {};
}

using Lines = std::vector<std::string>;

inline Lines lines_of(const Schedule& schedule, const Slots& slots) {
  Lines lines;
  for (const Operation& op : schedule.operations) {
    if (op.kind != Operation::Kind::begin_sweeps) lines.push_back(text_of(op, schedule, slots));
  }
  return lines;
}

}  // namespace goban::test
