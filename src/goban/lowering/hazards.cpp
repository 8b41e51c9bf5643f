#include "goban/lowering/hazards.hpp"

#include <algorithm>
#include <set>

namespace goban {

bool Touch::conflicts(const Touch& other) const {
  if (!is_same_place(other) || (!writes && !other.writes)) return false;
  return moves != other.moves || !intersection(box, other.box).empty();
}

bool Hazards::is_known(const Queue& queue, const Entry& entry) const {
  if (entry.queue == queue) return true;
  const auto all = known_.find(queue);
  if (all == known_.end()) return false;
  const auto done = all->second.find(entry.queue);
  return done != all->second.end() && done->second >= entry.number;
}

template <class IsAskedFor>
std::vector<Wait> Hazards::waits_if(const std::vector<Touch>& touches, const Queue& queue,
                                    IsAskedFor&& is_asked_for) {
  std::map<Queue, const Entry*> latest;
  for (const auto& entry : entries_) {
    if (is_known(queue, entry) || !is_asked_for(entry.queue)) continue;
    const bool conflicts = std::any_of(touches.begin(), touches.end(), [&](const Touch& touch) {
      return touch.conflicts(entry.touch);
    });
    if (!conflicts) continue;
    const Entry*& last = latest[entry.queue];
    if (!last || last->number < entry.number) last = &entry;
  }
  Known& mine = known_[queue];
  const auto learn = [&](const Queue& other, Index number) {
    if (other != queue) mine[other] = std::max(mine[other], number);
  };
  std::vector<Wait> waits;
  for (const auto& [other, entry] : latest) {
    waits.push_back(entry->command);
    learn(other, entry->number);
    for (const auto& [third, number] : entry->known) learn(third, number);
  }
  return waits;
}

std::vector<Wait> Hazards::waits(const std::vector<Touch>& touches, const Queue& queue) {
  return waits_if(touches, queue, [](const Queue&) { return true; });
}

std::vector<Wait> Hazards::waits_for(const std::function<bool(const Queue& other)>& is_asked_for,
                                     const std::vector<Touch>& touches, const Queue& queue) {
  return waits_if(touches, queue, is_asked_for);
}

void Hazards::record(const std::vector<Touch>& touches, const Queue& queue, Wait command) {
  const Index number = ++operations_[queue];
  const Known known = known_[queue];
  for (const auto& touch : touches) {
    // Whoever waits for the new operation has waited for what it supersedes.
    std::erase_if(entries_, [&](const Entry& entry) {
      if (!entry.touch.is_same_place(touch)) return false;
      // Whoever wrote since has waited for what was before the last move but one.
      if (entry.touch.moves != touch.moves) return entry.touch.moves < touch.moves - 1;
      if (!touch.box.contains(entry.touch.box)) return false;
      const bool waited = touch.writes || entry.touch.writes || entry.queue == queue;
      return waited && (touch.writes || !entry.touch.writes);
    });
    entries_.push_back({touch, queue, number, command, known});
  }
}

std::vector<Wait> Hazards::settle(const std::map<int, Place>& places) {
  // Numbers of operations tell an order; what they are counted from does not matter.
  std::map<Queue, std::set<Index>> numbers;
  for (const Entry& entry : entries_) numbers[entry.queue].insert(entry.number);
  const auto settled = [&](const Queue& queue, Index number) -> Index {
    const auto all = numbers.find(queue);
    if (all == numbers.end()) return 0;
    return std::distance(all->second.begin(), all->second.upper_bound(number));
  };
  const auto settle_known = [&](Known& known) {
    for (auto& [queue, number] : known) number = settled(queue, number);
    std::erase_if(known, [](const auto& one) { return one.second == 0; });
  };
  std::vector<Wait> commands;
  for (Entry& entry : entries_) {
    auto at = std::find(commands.begin(), commands.end(), entry.command);
    if (at == commands.end()) at = commands.insert(at, entry.command);
    entry.command = ~static_cast<Wait>(at - commands.begin());
    entry.number = settled(entry.queue, entry.number);
    settle_known(entry.known);
    const auto place = places.find(entry.touch.memory);
    if (place == places.end()) continue;
    entry.touch.memory = place->second.memory;
    entry.touch.moves -= place->second.moves;
  }
  for (auto& [queue, known] : known_) settle_known(known);
  std::erase_if(known_, [](const auto& one) { return one.second.empty(); });
  operations_.clear();
  for (const auto& [queue, all] : numbers) operations_[queue] = static_cast<Index>(all.size());
  return commands;
}

}  // namespace goban
