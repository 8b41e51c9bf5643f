#pragma once
// Gives values numbers, the same number to equal values.

#include <algorithm>
#include <vector>

namespace goban {

/// Keeps at most `most` values. When there are more all are forgotten; their numbers are not given
/// to other values.
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
  /// Returns whether the value with this number is still known.
  bool has(int number) const { return number >= first_; }
  const T& operator[](int number) const {
    return values_[static_cast<std::size_t>(number - first_)];
  }

 private:
  int first_ = 0;
  std::vector<T> values_;
};

}  // namespace goban
