#pragma once
// How a source acts in time.

#include <string>
#include <utility>
#include <vector>

namespace goban::seismic {

/// 0 before it starts. T is `duration`, t the time since `start`:
///   ricker    (1 - 2 a) exp(-a), a = (pi (t - start') / T)^2, start' = start + 1.5 T: 1 / T is its
///             dominant frequency
///   gaussian  exp(-(t - 6 T)^2 / (2 T^2)) / (T sqrt(2 pi)): its area is 1
///   brune     t / T^2 exp(-t / T): its area is 1
///   bump      51480 (t/T)^7 (1 - t/T)^7 / T for t < T: its area is 1
///   table     linear between given values
struct TimeFunction {
  enum class Shape { ricker, gaussian, brune, bump, table };
  Shape shape = Shape::ricker;
  double start = 0;                              ///< s
  double duration = 1;                           ///< s
  std::vector<std::pair<double, double>> table;  ///< time, value; times grow

  double operator()(double t) const;
};

}  // namespace goban::seismic
