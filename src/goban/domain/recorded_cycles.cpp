#include "goban/domain/recorded_cycles.hpp"

#include <algorithm>

#include "goban/backend/joint_recording.hpp"

namespace goban {
namespace {

/// Programs whose cycles never repeat are not worth remembering.
constexpr std::size_t most_entries = 64;

}  // namespace

const RecordedCycles::Entry* RecordedCycles::find(const Length& length,
                                                  const std::vector<double>& values,
                                                  int before) const {
  for (const Entry& entry : entries_) {
    const bool is_same = entry.before == before && entry.length == length;
    if (entry.work && is_same && entry.values == values) return &entry;
  }
  return nullptr;
}

void RecordedCycles::replay(Domain& domain, const Entry& entry) {
  domain.before_replay();
  entry.work->replay();
  domain.forget_hazards();
}

bool RecordedCycles::begin(Domain& domain, const Length& length, const std::vector<double>& values,
                           int before) {
  const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.length == length && entry.values == values && entry.before == before;
  });
  domain.after_replay();
  if (same == entries_.end()) {
    if (entries_.size() < most_entries) entries_.push_back({length, values, before, {}, nullptr});
    return false;
  }
  recording_ = static_cast<std::size_t>(same - entries_.begin());
  domain.synchronize();
  begin_recording(domain.executors());
  return true;
}

void RecordedCycles::abandon(Domain& domain) {
  try {
    end_recording(domain.executors());
  } catch (...) {  // what went wrong before is what matters
  }
  domain.forget_hazards();
}

void RecordedCycles::end(Domain& domain, Phases phases) {
  Entry& entry = entries_[recording_];
  entry.work = end_recording(domain.executors());
  entry.phases = std::move(phases);
  domain.forget_hazards();
  replay(domain, entry);
}

}  // namespace goban
