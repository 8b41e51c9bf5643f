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

}  // namespace goban
