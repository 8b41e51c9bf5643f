#include "goban/domain/watch/verdict.hpp"

#include <algorithm>
#include <cmath>

namespace goban {
namespace {

/// Ranks that all wait for each other may do so for a very large message.
constexpr double deadlock_patience = 10;  // times that of one rank

std::string seconds_text(double seconds) {
  return std::to_string(std::lround(std::max(1.0, seconds))) + " s";
}

std::string rank_text(int rank) { return "rank " + std::to_string(rank); }

/// "a sweep", "output", "a message of rank 2".
std::string describe(const RankState& state) {
  if (state.is_waiting && state.activity != Activity::ending)
    return state.peer < 0 ? "all ranks" : "a message of " + rank_text(state.peer);
  switch (state.activity) {
    case Activity::other: return "its work";
    case Activity::sweep: return "a sweep";
    case Activity::tuning: return "the choice of a schedule";
    case Activity::output: return "output";
    case Activity::checkpoint: return "a checkpoint";
    case Activity::call: return "a function of the program's";
    case Activity::ending: return "its end";
  }
  return "";
}

}  // namespace

std::optional<Stuck> find_stuck(std::span<const RankState> ranks, double patience) {
  const auto waits_long = [&](const RankState& r) { return r.is_waiting && r.idle > patience; };
  int waiter = -1, ended = -1, hanging = -1;
  double least_idle = HUGE_VAL;
  bool do_all_wait = true;
  for (int i = 0; i < static_cast<int>(ranks.size()); ++i) {
    const RankState& rank = ranks[i];
    least_idle = std::min(least_idle, rank.idle);
    do_all_wait = do_all_wait && waits_long(rank);
    if (waits_long(rank) && rank.activity == Activity::ending) ended = ended < 0 ? i : ended;
    if (waits_long(rank) && rank.activity != Activity::ending) waiter = waiter < 0 ? i : waiter;
    const bool hangs = !rank.is_waiting && rank.activity == Activity::sweep &&
                       rank.idle > std::max(patience, rank.patience);
    if (hangs && (hanging < 0 || rank.idle > ranks[hanging].idle)) hanging = i;
  }
  if (waiter < 0) return {};
  if (hanging >= 0) return Stuck{hanging, waiter, Stuck::How::hangs};
  if (!do_all_wait) return {};
  if (ended >= 0) return Stuck{ended, waiter, Stuck::How::ended};
  if (least_idle > deadlock_patience * patience)
    return Stuck{std::max(0, ranks[waiter].peer), waiter, Stuck::How::deadlock};
  return {};
}

std::string describe(const Stuck& stuck, const std::string& name,
                     std::span<const RankState> ranks) {
  const RankState& waiter = ranks[stuck.waiter];
  const std::string who_waits = rank_text(stuck.waiter) + " has waited for " + describe(waiter) +
                                " for " + seconds_text(waiter.idle);
  switch (stuck.how) {
    case Stuck::How::hangs:
      return name + " hangs in " + describe(ranks[stuck.rank]) + " (no progress for " +
             seconds_text(ranks[stuck.rank].idle) + ", and " + who_waits +
             "); if that is no endless loop allow more time, GOBAN_WATCH=10,100";
    case Stuck::How::ended:
      return name + " has ended before the others (" + who_waits +
             "); all ranks have to take the same steps";
    case Stuck::How::deadlock:
      return name + " and all others wait for each other (" + who_waits +
             "); all ranks have to take the same steps";
  }
  return "";
}

}  // namespace goban
