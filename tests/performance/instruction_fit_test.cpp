// Rates of instructions from sweeps of several kinds.

#include "goban/performance/measure/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "goban/performance/model/machine_rates.hpp"

namespace goban::instruction_fit_test {
namespace {

/// Products, a star, a box, heat conduction, as the model predicts them; alternately too slow and
/// too fast by `noise`.
std::vector<MeasuredInstructions> sweeps_of(const InstructionSeconds& seconds, double exponent,
                                            bool is_gpu, double noise) {
  std::vector<MeasuredInstructions> sweeps{
      {{135, 0, 2}}, {{263, 0, 2}}, {{29, 32, 2}}, {{27, 44, 2}}, {{10, 8, 2}}};
  DeviceRates device;
  device.is_gpu = is_gpu;
  device.overlap_exponent = exponent;
  for (MeasuredInstructions& sweep : sweeps) {
    sweep.bytes = 60e-12;
    const auto& [operations, reads, moves] = sweep.counts;
    sweep.seconds =
        sweep.bytes + device.beside(operations * seconds[0],
                                    reads * seconds[1] + moves * seconds[2], sweep.bytes);
    sweep.seconds *= 1 + noise;
    noise = -noise;
  }
  return sweeps;
}

TEST(InstructionFit, FindsTheRatesOfCpus) {
  const InstructionSeconds true_seconds{7e-12, 10e-12, 0};
  for (const double noise : {0.0, 0.01}) {
    const auto found = fit(sweeps_of(true_seconds, 2, false, noise), 2, false);
    EXPECT_NEAR(found[0] / true_seconds[0], 1, 1e-6 + 2 * noise);
    EXPECT_NEAR(found[1] / true_seconds[1], 1, 1e-6 + 2 * noise);
    EXPECT_EQ(found[2], 0);
  }
}

TEST(InstructionFit, FindsTheRatesOfGpus) {
  const InstructionSeconds true_seconds{3e-12, 1e-12, 20e-12};
  const auto found = fit(sweeps_of(true_seconds, 3, true, 0), 3, true);
  for (std::size_t n = 0; n < 3; ++n) EXPECT_NEAR(found[n] / true_seconds[n], 1, 1e-3);
}

TEST(InstructionFit, IsNeverNegative) {
  auto sweeps = sweeps_of({7e-12, 0, 0}, 2, false, 0);
  sweeps[2].seconds *= 0.8;  // reads that seem to save time
  sweeps[3].seconds *= 0.8;
  EXPECT_EQ(fit(sweeps, 2, false)[1], 0);
}

}  // namespace
}  // namespace goban::instruction_fit_test
