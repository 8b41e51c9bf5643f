#include "goban/lowering/blocked_plan.hpp"

#include <algorithm>

namespace goban {

template <class IsAskedFor>
bool BlockedPlan::is_used_by(int version, IsAskedFor&& instance) const {
  const auto& readers = this->version(version).readers;
  return std::any_of(readers.begin(), readers.end(), instance) ||
         std::any_of(cycle_.versions.begin(), cycle_.versions.end(), [&](const Version& v) {
           return v.previous == version && instance(v.producer);
         });
}

bool BlockedPlan::is_read(int version) const {
  return is_used_by(version, [&](int i) { return is_inside(i); });
}

bool BlockedPlan::is_kept(int version) const {
  return this->version(version).outlives ||
         is_used_by(version, [&](int i) { return step_of(i) >= last_; });
}

bool BlockedPlan::is_in_use(int slot) const {
  for (int v = 0; v < versions(); ++v) {
    if (version(v).slot == slot && !is_inside(version(v).producer) && is_read(v)) return true;
  }
  return false;
}

bool BlockedPlan::is_needed(int slot) const {
  for (int v = 0; v < versions(); ++v) {
    const int producer = version(v).producer;
    if (version(v).slot != slot || (producer >= 0 && step_of(producer) >= last_)) continue;
    if ((!is_inside(producer) && is_read(v)) || is_kept(v)) return true;
  }
  return false;
}

}  // namespace goban
