#include "goban/domain/hazards.hpp"

#include <algorithm>

namespace goban {

std::vector<EventPtr> Hazards::waits(const std::vector<Touch>& touches, const void* queue) const {
  std::vector<EventPtr> events;
  for (const auto& entry : entries_) {
    if (entry.queue == queue) continue;
    for (const auto& touch : touches) {
      if (touch.memory != entry.touch.memory || (!touch.writes && !entry.touch.writes)) continue;
      const bool is_same_place = touch.moves == entry.touch.moves;
      if (is_same_place && intersection(touch.box, entry.touch.box).empty()) continue;
      if (std::find(events.begin(), events.end(), entry.event) == events.end()) {
        events.push_back(entry.event);
      }
      break;
    }
  }
  return events;
}

void Hazards::record(const std::vector<Touch>& touches, const void* queue, const EventPtr& event) {
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
    entries_.push_back({touch, queue, event});
  }
}

}  // namespace goban
