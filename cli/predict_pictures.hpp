#pragma once
// Pictures of goban predict: rates, what a step goes to, kernels under the roof of their machine.

#include <string>
#include <vector>

#include "goban/io/picture/curve_picture.hpp"
#include "goban/performance/predict/scaling.hpp"

namespace goban::cli {

/// A rate that was measured.
struct MeasuredRate {
  double devices = 1, rate = 0;
};

/// Rates over numbers of devices, GLUP/s: of the best plans, or a line for every plan.
void draw_rates(const std::string& file, const std::string& title,
                const std::vector<ScalingPoint>& points, bool every_plan,
                const std::vector<MeasuredRate>& measured);

/// What a step goes to: over numbers of devices or, of one number, over steps an exchange, each by
/// its fastest plan. Error (ExitCode::usage): there is one point alone.
void draw_split(const std::string& file, const std::string& title,
                const std::vector<ScalingPoint>& points);

/// Kernels of one device as rates of operations over operations a byte, under the lesser of both
/// peaks (S. Williams, A. Waterman and D. Patterson, "Roofline", CACM 52, 2009) and what is left of
/// it where they take time one after the other. Error (ExitCode::usage): no kernel computes with
/// floating-point numbers.
void draw_roofline(const std::string& file, const std::string& title,
                   const std::vector<KernelWork>& kernels, const DeviceRates& device);

}  // namespace goban::cli
