// Mathematical functions have the same bits wherever they are computed.

#include <gtest/gtest.h>

#include "benchmarks/mathematics/functions.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/gpu.hpp"
#include "tests/long.hpp"

namespace goban::mathematics_on_devices_test {
namespace {

constexpr Index3 cells{256, 64, 64};
constexpr std::uint64_t cell_count = 256 * 64 * 64;
constexpr int functions = 10;

struct Evaluate {
  GOBAN_FUNCTION void operator()(auto x, auto y, auto results) const {
    results[0] = exp(x());
    results[1] = log(x());
    results[2] = sin(x());
    results[3] = cos(x());
    results[4] = tan(x());
    results[5] = tanh(x());
    results[6] = atan(x());
    results[7] = cbrt(x());
    results[8] = pow(x(), y());
    results[9] = atan2(x(), y());
  }
};

/// Arguments of all kinds; of floats, with enough rounds, every number there is.
template <class T>
T argument(Index3 i, std::uint64_t round, int which) {
  const auto n = static_cast<std::uint64_t>(i[0] + cells[0] * (i[1] + cells[1] * i[2]));
  const std::uint64_t number = n + cell_count * round;
  if (which == 0 && sizeof(T) == 4 && test::is_long()) return mathematics::number_of(number, T());
  return mathematics::some_argument<T>(number, which);
}

template <class T>
std::vector<T> results_on(const Settings& settings, std::uint64_t round) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells});
  Field<T> x(grid, "x"), y(grid, "y");
  Field<T, functions> results(grid, "results");
  x.fill([&](Index3 i) { return argument<T>(i, round, 0); });
  y.fill([&](Index3 i) { return argument<T>(i, round, 1); });
  Program program("evaluate");
  program.apply(Evaluate{}, in(x), in(y), out(results));
  StepClock clock;
  Engine(program).run(1, clock);
  return results.copy_out();
}

/// Bits of NaNs count, too.
template <class T>
void expect_bits_of_the_cpu(const Settings& settings) {
  const auto rounds = test::in_short_or_long(1, sizeof(T) == 4 ? 4096 : 64);
  for (int round = 0; round < rounds; ++round) {
    const auto expected = results_on<T>({}, static_cast<std::uint64_t>(round));
    const auto found = results_on<T>(settings, static_cast<std::uint64_t>(round));
    ASSERT_EQ(found.size(), expected.size());
    std::size_t wrong = 0, first = 0;
    for (std::size_t n = found.size(); n-- > 0;) {
      if (mathematics::bits(found[n]) == mathematics::bits(expected[n])) continue;
      ++wrong;
      first = n;
    }
    ASSERT_EQ(wrong, 0u) << "result " << first << " of round " << round << " is " << found[first]
                         << " instead of " << expected[first];
  }
}

TEST(MathematicsOnDevices, TheReferenceHasTheBitsOfPacks) {
  Settings settings;
  settings.backend = Backend::reference;
  expect_bits_of_the_cpu<float>(settings);
  expect_bits_of_the_cpu<double>(settings);
}

Settings one_gpu() {
  Settings settings;
  settings.backend = Backend::cuda;
  settings.devices = {0};
  return settings;
}

TEST(MathematicsOnDevices, OfFloatsOnAGpuHasTheBitsOfTheCpu) {
  if (!test::has_gpu()) GTEST_SKIP() << "no GPU";
  expect_bits_of_the_cpu<float>(one_gpu());
}

TEST(MathematicsOnDevices, OfDoublesOnAGpuHasTheBitsOfTheCpu) {
  if (!test::has_gpu()) GTEST_SKIP() << "no GPU";
  expect_bits_of_the_cpu<double>(one_gpu());
}

}  // namespace
}  // namespace goban::mathematics_on_devices_test
