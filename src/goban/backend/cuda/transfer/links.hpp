#pragma once
// Measures how fast data moves within a GPU, between it and the host, and between GPUs, and what a
// launch costs.

#include "goban/backend/gpu_backend.hpp"

namespace goban::cuda {

/// These implement GpuBackend::measure() and GpuBackend::measure_link().
GpuSpeed measure_device(int number);
GpuLink measure_link(int from, int to);

}  // namespace goban::cuda
