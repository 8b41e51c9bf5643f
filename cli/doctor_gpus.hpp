#pragma once
// The GPU part of `goban doctor`.

#include <iosfwd>
#include <string>
#include <vector>

#include "goban/backend/gpu_backend.hpp"

namespace goban::cli {

struct GpuSurvey {
  GpuSoftware software;
  std::vector<Gpu> gpus;
  std::vector<GpuSpeed> speeds;             ///< the speed of each GPU
  std::vector<std::vector<GpuLink>> links;  ///< [from][to]; those to itself mean nothing
  std::vector<std::string> failures;        ///< what could not be measured, and why
};

/// Measures all GPUs, one after the other: less than a second each, 20 ms a pair.
GpuSurvey survey_gpus();

/// Nothing where there are no GPUs.
void print_gpus(std::ostream& out, const GpuSurvey& survey);

/// What is slow, and why that may be; a line each.
std::vector<std::string> advice_on_gpus(const GpuSurvey& survey);

}  // namespace goban::cli
