#include "goban/lowering/hazards.hpp"

#include <algorithm>
#include <set>

namespace goban {

bool Touch::conflicts(const Touch& other) const {
  if (place() != other.place() || (!writes && !other.writes)) return false;
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
  for (const Touch& touch : touches) {
    const auto at = entries_.find(touch.place());
    if (at == entries_.end()) continue;
    for (const Entry& entry : at->second) {
      if (!touch.conflicts(entry.touch) || !is_asked_for(entry.queue)) continue;
      if (is_known(queue, entry)) continue;
      const Entry*& last = latest[entry.queue];
      if (!last || last->number < entry.number) last = &entry;
    }
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
    std::vector<Entry>& entries = entries_[touch.place()];
    // Whoever waits for the new operation has waited for what it supersedes.
    std::erase_if(entries, [&](const Entry& entry) {
      // Whoever wrote since has waited for what was before the last move but one.
      if (entry.touch.moves != touch.moves) return entry.touch.moves < touch.moves - 1;
      if (!touch.box.contains(entry.touch.box)) return false;
      const bool waited = touch.writes || entry.touch.writes || entry.queue == queue;
      return waited && (touch.writes || !entry.touch.writes);
    });
    entries.push_back({touch, queue, number, command, known});
  }
}

std::vector<Wait> Hazards::settle(const std::map<int, Place>& places) {
  std::map<std::tuple<int, int, int>, std::vector<Entry>> entries;
  // Numbers of operations tell an order; what they are counted from does not matter.
  std::map<Queue, std::vector<Index>> numbers;
  // As they were submitted: those of earlier lists first.
  const auto is_before = [](Wait a, Wait b) { return a < 0 ? b >= 0 || a > b : a < b; };
  std::set<Wait, decltype(is_before)> left(is_before);
  for (auto& [cells, all] : entries_) {
    for (Entry& entry : all) {
      numbers[entry.queue].push_back(entry.number);
      left.insert(entry.command);
      if (const auto place = places.find(entry.touch.memory); place != places.end()) {
        entry.touch.memory = place->second.memory;
        entry.touch.moves -= place->second.moves;
      }
      entries[entry.touch.place()].push_back(std::move(entry));
    }
  }
  entries_ = std::move(entries);
  for (auto& [queue, all] : numbers) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  const auto settled = [&](const Queue& queue, Index number) -> Index {
    const auto all = numbers.find(queue);
    if (all == numbers.end()) return 0;
    return std::upper_bound(all->second.begin(), all->second.end(), number) - all->second.begin();
  };
  const auto settle_known = [&](Known& known) {
    for (auto& [queue, number] : known) number = settled(queue, number);
    std::erase_if(known, [](const auto& one) { return one.second == 0; });
  };
  const std::vector<Wait> commands(left.begin(), left.end());
  for (auto& [cells, all] : entries_) {
    for (Entry& entry : all) {
      const auto at = std::lower_bound(commands.begin(), commands.end(), entry.command, is_before);
      entry.command = ~static_cast<Wait>(at - commands.begin());
      entry.number = settled(entry.queue, entry.number);
      settle_known(entry.known);
    }
  }
  for (auto& [queue, known] : known_) settle_known(known);
  std::erase_if(known_, [](const auto& one) { return one.second.empty(); });
  operations_.clear();
  for (const auto& [queue, all] : numbers) operations_[queue] = static_cast<Index>(all.size());
  return commands;
}

}  // namespace goban
