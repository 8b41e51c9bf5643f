#pragma once
// What a CPU beside the GPUs of a node takes over, as eq. 8 of Liu and Perumalla has it: both are
// busy for as long.

#include "goban/performance/predict/scaling.hpp"

namespace goban {

struct BalancePrediction {
  Index planes = 0;          ///< of the CPU; 0: it does not pay
  Index planes_of_node = 0;  ///< in all, across the slowest axis
  double seconds = 0;        ///< a step
  double faster(double alone) const { return alone / seconds - 1; }
};

/// T_C x_C / N = T_G x_G / N with x_C + x_G = N planes of the GPUs of one node, while one plane of
/// all fields goes to the host and back. `cpu` has the rates of all threads of a node.
BalancePrediction predict_balance(const ScalingQuestion& question, const ScalingPoint& point,
                                  const DeviceRates& cpu);

}  // namespace goban
