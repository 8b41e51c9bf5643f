// A schedule in numbers and in words.

#include <sstream>

#include "goban/program/schedule.hpp"

namespace goban {

double Schedule::redundancy() const {
  double all = 0, owned = 0;
  for (const auto& op : operations) {
    if (op.kind != Operation::Kind::sweep) continue;
    all += static_cast<double>(op.box.volume());
    const Box own{{0, 0, 0}, patches[op.patch].owned.extents()};
    owned += static_cast<double>(intersection(op.box, own).volume());
  }
  return owned > 0 ? all / owned - 1 : 0;
}

double Schedule::halo_bytes(const Slots& slots) const {
  double bytes = 0;
  for (const auto& op : operations) {
    if (op.kind == Operation::Kind::send) continue;
    for (const auto& piece : op.pieces) {
      bytes += static_cast<double>(piece.target.volume()) *
               static_cast<double>(slots.field(piece.what.slot).element_size());
    }
  }
  return patches.size() == 0 ? 0 : bytes / static_cast<double>(patches.size());
}

std::string to_string(const Schedule& schedule, const Slots& slots) {
  std::ostringstream text;
  auto name = [&](const Component& what) {
    std::string n = slots.field(what.slot).name;
    if (slots.field(what.slot).components > 1) n += "[" + std::to_string(what.component) + "]";
    return n;
  };
  for (const auto& op : schedule.operations) {
    using Kind = Operation::Kind;
    const std::string where = op.patch >= 0
                                  ? "patch " + std::to_string(op.patch) +
                                        (op.stream == Stream::halo ? " halo   " : " compute")
                                  : "host           ";
    text << where << "  ";
    const Instance* it = op.instance >= 0
                             ? &schedule.cycle.instances[static_cast<std::size_t>(op.instance)]
                             : nullptr;
    switch (op.kind) {
      case Kind::begin_exchange: text << "begin exchange " << op.exchange; break;
      case Kind::end_exchange: text << "end exchange " << op.exchange; break;
      case Kind::begin_sweeps: text << "begin sweeps of " << it->stage->name; break;
      case Kind::send:
      case Kind::copy:
      case Kind::receive:
        text << (op.kind == Kind::send   ? "send to"
                 : op.kind == Kind::copy ? "copy from"
                                         : "receive from")
             << " patch " << op.other_patch << ":";
        for (const auto& piece : op.pieces) {
          text << " " << name(piece.what) << to_string(piece.source) << "->"
               << to_string(piece.target);
        }
        break;
      case Kind::fill:
        text << "fill " << name(op.what) << " "
             << "xyz"[op.axis] << (op.side == Side::low ? "-low " : "-high ") << to_string(op.box);
        break;
      case Kind::sweep:
        text << "sweep " << it->stage->name << " step " << it->step << " " << to_string(op.box);
        break;
      case Kind::combine: text << "combine " << it->stage->name; break;
      case Kind::compute: text << "compute step " << it->step; break;
      case Kind::sample: text << "sample step " << it->step; break;
    }
    text << "\n";
  }
  return text.str();
}

}  // namespace goban
