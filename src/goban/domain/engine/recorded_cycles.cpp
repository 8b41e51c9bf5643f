#include "goban/domain/engine/recorded_cycles.hpp"

#include <algorithm>
#include <utility>

#include "goban/backend/joint_recording.hpp"
#include "goban/base/same_bits.hpp"

namespace goban {
namespace {

/// The number of recordings of one schedule that are kept. Programs that need more hardly repeat
/// cycles.
constexpr std::size_t most_entries = 64;

}  // namespace

/// Ends a recording that is open, so that executors do again what they are given.
RecordedWork::~RecordedWork() {
  if (!is_open_) return;
  try {
    if (is_complete_) {
      parts_[part_]->end_changes();
    } else {
      end_recording(domain_.executors());
    }
  } catch (...) {  // what went wrong before is what matters
  }
}

void RecordedWork::start() {
  part_ = 0;
  number_ = 0;
  for (auto& [executor, table] : numbers_) table.start();
  if (!is_complete_) domain_.synchronize();
}

void RecordedWork::open() {
  if (std::exchange(is_open_, true)) return;
  if (is_complete_) return parts_[part_]->begin_changes();
  for (Executor* executor : domain_.executors()) executor->synchronize();
  begin_recording(domain_.executors());
}

void RecordedWork::close() {
  if (!is_complete_) {
    parts_.push_back(is_open_ ? end_recording(domain_.executors()) : nullptr);
  } else if (is_open_) {
    parts_[part_]->end_changes();
  }
  is_open_ = false;
  if (Recording* const part = parts_[part_++].get()) {
    domain_.before_replay();
    for (auto& [executor, table] : numbers_) table.upload();
    part->replay();
  }
}

void RecordedWork::finish() {
  close();
  is_complete_ = true;
  domain_.forget_hazards();
}

RecordedWork* RecordedCycles::find(Domain& domain, int cycles, const std::vector<double>& values) {
  const int before = domain.state_number();
  const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.before == before && entry.cycles == cycles &&
           std::ranges::equal(entry.values, values, same_bits);
  });
  if (same == entries_.end()) {
    if (entries_.size() < most_entries) entries_.push_back({cycles, values, before, nullptr});
    return nullptr;
  }
  if (!same->work) same->work = std::make_unique<RecordedWork>(domain);
  same->work->start();
  return same->work.get();
}

void RecordedCycles::drop(const RecordedWork* work) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.work.get() == work; });
}

}  // namespace goban
