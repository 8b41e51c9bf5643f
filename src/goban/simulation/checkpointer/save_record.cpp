#include "goban/simulation/checkpointer/save_record.hpp"

#include <algorithm>

namespace goban {

SaveRecord::Level SaveRecord::level(std::size_t n) const {
  const std::lock_guard lock(mutex_);
  return levels_[n];
}

bool SaveRecord::has_on_nodes(Index step) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(levels_.begin(), levels_.begin() + shared_level,
                     [step](const Level& level) { return level.step == step; });
}

void SaveRecord::begin_from(std::size_t level, Index step) {
  const std::lock_guard lock(mutex_);
  levels_[level].step = step;
}

void SaveRecord::add(std::size_t level, Index step, double seconds) {
  const std::lock_guard lock(mutex_);
  Level& one = levels_[level];
  work_ += seconds;
  one = {step, one.count + 1, seconds, std::max(one.longest, seconds)};
}

void SaveRecord::add_size(const PartSize& size) {
  const std::lock_guard lock(mutex_);
  size_.values += size.values;
  size_.stored += size.stored;
  size_.seconds += size.seconds;
}

void SaveRecord::fail(Index number, Error error) {
  const std::lock_guard lock(mutex_);
  errors_.emplace_back(number, std::move(error));
}

std::vector<Error> SaveRecord::take_errors(Index count) {
  const std::lock_guard lock(mutex_);
  std::vector<Error> errors;
  for (; !errors_.empty() && errors_.front().first < count; errors_.pop_front()) {
    errors.push_back(std::move(errors_.front().second));
  }
  return errors;
}

void SaveRecord::complete(CheckpointMeasures& measures) const {
  const std::lock_guard lock(mutex_);
  for (std::size_t n = 0; n < levels_.size(); ++n) measures.saved[n] = levels_[n].count;
  measures.background = work_;
  measures.values = size_.values;
  measures.stored = size_.stored;
  measures.compressing = size_.seconds;
}

}  // namespace goban
