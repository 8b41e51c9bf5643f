#pragma once
// How fast a GPU computes a function: goban's and CUDA's own.

#include <string>

namespace goban::mathematics {

struct GpuRates {
  double goban = 0, cuda = 0;  ///< values a second; 0: there is no GPU
};

/// Whether there is a GPU.
bool has_gpu_rates();

/// Measures a function of arguments between these two.
GpuRates gpu_rates(const std::string& name, const std::string& type, bool has_two, double from,
                   double to);

}  // namespace goban::mathematics
