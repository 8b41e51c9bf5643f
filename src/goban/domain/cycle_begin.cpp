// What begins with the sweeps of an instance: which halos they leave valid, and when devices of
// ranks wait for each other.

#include <algorithm>
#include <map>
#include <set>

#include "goban/domain/cycle_run.hpp"
#include "goban/program/in_place.hpp"

namespace goban {

/// Devices of ranks that store into each other's halos wait for each other: what was stored is
/// there from here on, and what is stored from here on, nobody needs what it replaces. The same for
/// all ranks: they must come to as many meetings.
void CycleRun::meet_over_ways() {
  std::map<Executor*, std::pair<int, std::vector<PeerWay*>>> ways;  // of any of its patches
  for (const auto& [patch, way] : domain_.ways().peers(domain_.ways().are_peers())) {
    auto& [of, all] = ways[&domain_.executor(patch)];
    of = patch;
    all.push_back(way);
  }
  for (auto& [executor, meeting] : ways) {
    const Submission submission{Stream::compute, {}, meeting.first, clock_.step};
    submissions_.add(Submissions::Work::moves, submission, {},
                     [executor = executor, all = std::move(meeting.second)](const Submission& s) {
                       return executor->meet_over(all, s);
                     });
  }
  domain_.have_met();
}

/// Once an instance: parts of it may follow the exchange of what it writes.
void CycleRun::begin_sweeps(int id) {
  const Instance& it = instance(id);
  const auto& made = schedule_.made[static_cast<std::size_t>(id)];
  std::set<int> sent;  // slots
  for (const MadeHalo& halo : made) {
    const bool is_remote = schedule_.patches.decomposition().ranks[halo.axis] > 1;
    if (halo.sent && is_remote) sent.insert(halo.what.slot);
  }
  std::set<int> used(it.slot.begin(), it.slot.end());
  used.insert(it.mask_slot);
  used.erase(-1);
  const bool waits =
      std::any_of(used.begin(), used.end(), [&](int slot) { return buffer(slot).is_sent; }) ||
      std::any_of(sent.begin(), sent.end(), [&](int slot) { return buffer(slot).is_used; });
  if (waits) meet_over_ways();
  for (const int slot : used) buffer(slot).is_used = true;
  for (const int slot : sent) {
    buffer(slot).is_sent = true;
    if (domain_.reaches_halos(buffer(slot))) continue;
    submissions_.flush();  // others wait for what this rank has left to submit
    domain_.reach_halos(buffer(slot));
  }
  const InPlacePair pair = in_place_pair(*it.stage);
  if (pair.to >= 0) {
    domain_.shift_in_place(slots_.field(it.slot[static_cast<std::size_t>(pair.from)]).id,
                           slots_.field(it.slot[static_cast<std::size_t>(pair.to)]).id,
                           moves_in_place(*it.stage, pair));
  }
  for (std::size_t a = 0; a < it.writes.size(); ++a) {
    if (it.writes[a] < 0) continue;
    for (auto& halo : buffer(it.slot[a]).halos) halo.outdate(schedule_.patches.joined());
  }
  for (const MadeHalo& halo : made) mark(halo);
}

/// A halo that sweeps make is valid if they make all of it, or if an exchange has left constants
/// around what they send: beyond the ends of the grid, and in its corners unless these come from
/// patches and are not sent, too.
void CycleRun::mark(const MadeHalo& made) {
  auto& halo = buffer(made.what.slot).halos[static_cast<std::size_t>(made.what.component)];
  const bool are_rows = !made.sent;
  const bool has_ends = !domain_.grid().is_periodic(made.axis);
  if (!are_rows) {
    if (has_ends && !halo.constants[static_cast<std::size_t>(made.axis)]) return;
    if (halo.constants != constants(made.what) || halo.made.on(made.axis, made.side) < made.width) {
      return;
    }
  }
  (made.side == Side::low ? halo.valid.low : halo.valid.high)[made.axis] = made.width;
  if (are_rows || made.corners) return;
  const auto joined = schedule_.patches.joined();
  if (std::count(joined.begin(), joined.end(), true) > 1) halo.corners = false;
}

}  // namespace goban
