#include "goban/domain/hazards.hpp"

#include <algorithm>

namespace goban {

bool Touch::conflicts(const Touch& other) const {
  if (memory != other.memory || (!writes && !other.writes)) return false;
  return moves != other.moves || !intersection(box, other.box).empty();
}

Touch touch(const FieldBinding& field, int component, const Box& box, bool writes) {
  if (field.places) return {field.places->memory + component, box, writes, field.places->moves};
  return {field.read, box, writes};
}

bool Hazards::is_known(const Queue& queue, const Entry& entry) const {
  if (entry.queue == queue) return true;
  const auto all = known_.find(queue);
  if (all == known_.end()) return false;
  const auto done = all->second.find(entry.queue);
  return done != all->second.end() && done->second >= entry.number;
}

template <class IsAskedFor>
std::vector<EventPtr> Hazards::waits_if(const std::vector<Touch>& touches, const Queue& queue,
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
  std::vector<EventPtr> events;
  for (const auto& [other, entry] : latest) {
    events.push_back(entry->event);
    learn(other, entry->number);
    for (const auto& [third, number] : *entry->known) learn(third, number);
  }
  return events;
}

std::vector<EventPtr> Hazards::waits(const std::vector<Touch>& touches, const Queue& queue) {
  return waits_if(touches, queue, [](const Queue&) { return true; });
}

std::vector<EventPtr> Hazards::waits_for(
    const std::function<bool(const Queue& other)>& is_asked_for, const std::vector<Touch>& touches,
    const Queue& queue) {
  return waits_if(touches, queue, is_asked_for);
}

void Hazards::record(const std::vector<Touch>& touches, const Queue& queue, const EventPtr& event) {
  const Index number = ++operations_[queue];
  const auto known = std::make_shared<const Known>(known_[queue]);
  for (const auto& touch : touches) {
    // Whoever waits for the new operation has waited for what it supersedes.
    std::erase_if(entries_, [&](const Entry& entry) {
      if (entry.touch.memory != touch.memory) return false;
      // Whoever wrote since has waited for what was before the last move but one.
      if (entry.touch.moves != touch.moves) return entry.touch.moves < touch.moves - 1;
      if (!touch.box.contains(entry.touch.box)) return false;
      const bool waited = touch.writes || entry.touch.writes || entry.queue == queue;
      return waited && (touch.writes || !entry.touch.writes);
    });
    entries_.push_back({touch, queue, number, event, known});
  }
}

void Hazards::clear() {
  entries_.clear();
  known_.clear();
  operations_.clear();
}

}  // namespace goban
