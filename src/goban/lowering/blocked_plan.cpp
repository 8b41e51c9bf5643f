#include "goban/lowering/blocked_plan.hpp"

#include <algorithm>

namespace goban {

bool BlockedPlan::is_read(const Version& v) const {
  return std::any_of(v.readers.begin(), v.readers.end(), [&](int i) { return is_inside(i); });
}

bool BlockedPlan::is_kept(const Version& v) const {
  if (v.outlives) return true;
  return std::any_of(v.readers.begin(), v.readers.end(),
                     [&](int i) { return step_of(i) >= last_; });
}

bool BlockedPlan::is_in_use(int slot) const {
  return std::any_of(cycle_.versions.begin(), cycle_.versions.end(), [&](const Version& v) {
    return v.slot == slot && !is_inside(v.producer) && is_read(v);
  });
}

bool BlockedPlan::is_needed(int slot) const {
  return std::any_of(cycle_.versions.begin(), cycle_.versions.end(), [&](const Version& v) {
    if (v.slot != slot || (v.producer >= 0 && step_of(v.producer) >= last_)) return false;
    return (!is_inside(v.producer) && is_read(v)) || is_kept(v);
  });
}

}  // namespace goban
