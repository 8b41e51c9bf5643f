#pragma once
// Values that random functors compute.

#include <random>

#include "goban/base/macros.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/reciprocal.hpp"

namespace goban::test {

/// At most 32 values.
template <class T>
struct Values {
  T all[32] = {};
  int count = 0;

  template <class... More>
  explicit Values(T first, More... more) {
    add(first);
    (add(more), ...);
  }
  void add(T value) { all[count++] = value; }
  T back() const { return all[count - 1]; }
};

class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  int offset() { return below(5) - 2; }

  /// Adds so many that are computed of those before.
  template <class T>
  void grow(Values<T>& values, int more) {
    for (; more > 0; --more) {
      const T a = some(values), b = some(values), c = some(values);
      values.add(operation(below(16), a, b, c));
    }
  }
  /// Some of all of them; it lies between -1 and 1 if it is taken the sine of.
  template <class T>
  static T sum(const Values<T>& values) {
    T sum = 0.3 * values.back();
    for (int n = 0; n < values.count; ++n) sum = sum + 0.1 * values.all[n];
    return sum;
  }

 private:
  template <class T>
  T some(const Values<T>& values) {
    return values.all[below(values.count)];
  }
  template <class T>
  static T operation(int which, T a, T b, T c) {
    switch (which) {
      case 0: return a + b;
      case 1: return a - 0.7 * b;
      case 2:
      case 3: return a * b;
      case 4: return a / (1.2 + b * b);
      case 5: return sin(a) * cos(b);
      case 6: return exp(-abs(a));
      case 7: return log(1.0 + a * a) + sqrt(1.0 + b * b);
      case 8: return min(a, b);
      case 9: return max(a, b) - c;
      case 10: return select(a > b, c, a * b);
      case 11: return select(a > 0.0, sqrt(a), b);
      case 12: return pow(1.0 + a * a, b);
      case 13: return atan2(a, 1.0 + c * c) + cbrt(2.0 + sin(b));
      case 14: return fma(a, b, c);
      default: return 0.5 * a - floor(2.0 * b) * 0.1;
    }
  }

  std::mt19937_64 random_;
};

}  // namespace goban::test
