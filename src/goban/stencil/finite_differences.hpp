#pragma once
// Coefficients of central finite differences and averages of order 2, 4, 6, 8 on unit spacing, each
// the quotient of two exact integers. With m = order / 2 (Fornberg 1988):
//
//   first derivative     sum_j c_j (u(+j) - u(-j)),                 j = 1 ... m
//   second derivative    c_0 u(0) + sum_j c_j (u(+j) + u(-j))
//   staggered derivative sum_j c_j (u(j - 1/2) - u(1/2 - j))
//   staggered average    sum_j c_j (u(j - 1/2) + u(1/2 - j))

#include "goban/base/macros.hpp"

namespace goban::finite_differences {

namespace detail {
GOBAN_FUNCTION double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
/// n (n - 2) (n - 4) ...
GOBAN_FUNCTION double double_factorial(int n) { return n < 2 ? 1 : n * double_factorial(n - 2); }
GOBAN_FUNCTION double square(double x) { return x * x; }
GOBAN_FUNCTION double alternating(int j) { return j % 2 == 1 ? 1 : -1; }
GOBAN_FUNCTION double power_of_two(int n) { return static_cast<double>(1 << n); }
}  // namespace detail

/// (-1)^(j+1) (m!)^2 / (j (m-j)! (m+j)!)
GOBAN_FUNCTION double first(int m, int j) {
  using namespace detail;
  return alternating(j) * square(factorial(m)) / (j * factorial(m - j) * factorial(m + j));
}

/// 2 (-1)^(j+1) (m!)^2 / (j^2 (m-j)! (m+j)!); j = 0: -2 sum_j 1/j^2
GOBAN_FUNCTION double second(int m, int j) {
  using namespace detail;
  if (j > 0) {
    return 2 * alternating(j) * square(factorial(m)) /
           (j * j * factorial(m - j) * factorial(m + j));
  }
  double numerator = 0;
  for (int i = 1; i <= m; ++i) numerator += square(factorial(m) / i);
  return -2 * numerator / square(factorial(m));
}

/// (-1)^(j+1) ((2m-1)!!)^2 / (2^(2m-2) (2j-1)^2 (m+j-1)! (m-j)!)
GOBAN_FUNCTION double staggered(int m, int j) {
  using namespace detail;
  return alternating(j) * square(double_factorial(2 * m - 1)) /
         (power_of_two(2 * m - 2) * square(2 * j - 1) * factorial(m + j - 1) * factorial(m - j));
}

/// (-1)^(j+1) ((2m-1)!!)^2 / (2^(2m-1) (2j-1) (m+j-1)! (m-j)!)
GOBAN_FUNCTION double average(int m, int j) {
  using namespace detail;
  return alternating(j) * square(double_factorial(2 * m - 1)) /
         (power_of_two(2 * m - 1) * (2 * j - 1) * factorial(m + j - 1) * factorial(m - j));
}

}  // namespace goban::finite_differences
