#pragma once
// Numbers for values, the same for equal ones.

#include <algorithm>
#include <vector>

namespace goban {

/// Values that never come again take no more memory than `most`: then all are forgotten, and no
/// number is given a second time.
template <class T>
class Numbered {
 public:
  int number(const T& value) {
    constexpr std::size_t most = 256;
    const auto found = std::find(values_.begin(), values_.end(), value);
    if (found == values_.end() && values_.size() == most) {
      first_ += static_cast<int>(most);
      values_.clear();
      values_.push_back(value);
      return first_;
    }
    const auto at = found - values_.begin();
    if (found == values_.end()) values_.push_back(value);
    return first_ + static_cast<int>(at);
  }
  /// Whether the number is not forgotten.
  bool has(int number) const { return number >= first_; }
  const T& operator[](int number) const {
    return values_[static_cast<std::size_t>(number - first_)];
  }

 private:
  int first_ = 0;
  std::vector<T> values_;
};

}  // namespace goban
