// Numbers that are too small to have all their digits.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"

namespace goban::subnormals_test {
namespace {

struct Halve {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.25 * (u(1, 0, 0) + u(-1, 0, 0));
  }
};

/// Fades from the middle outwards, and below the smallest normal number.
template <class T>
test::Results fade(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {150, 11, 9}, .boundary = mirror});
  Field<T> u(grid, "u"), next(grid, "next");
  const double least = std::numeric_limits<T>::min();
  u.fill([&](Index3 p) { return p[0] == 70 ? 1000 * least * static_cast<double>(1 + p[1]) : 0; });
  Program step("fade");
  step.apply(Halve{}, in(u), out(next));
  step.swap(u, next);
  StepClock clock;
  Engine(step).run(8, clock);
  double smallest = 1, sum = 0;
  for (const T value : u.copy_out()) {
    if (value != 0) smallest = std::min<double>(smallest, std::abs(value));
    sum += static_cast<double>(value);
  }
  EXPECT_GT(sum, 0);
  return {{"u", u.checksum()}, {"smallest", std::bit_cast<std::uint64_t>(smallest / least)}};
}

template <class T>
void expect_zero_below_the_smallest() {
  const test::Results kept = fade<T>(test::plainest());
  EXPECT_LT(std::bit_cast<double>(kept.at("smallest")), 1);
  Settings settings = test::plainest();
  settings.subnormals = Subnormals::flush;
  const test::Results flushed = fade<T>(settings);
  EXPECT_GE(std::bit_cast<double>(flushed.at("smallest")), 1);
  EXPECT_NE(flushed.at("u"), kept.at("u"));
  for (const Backend backend : {Backend::cpu, Backend::reference, Backend::emulated}) {
    for (const Index patches : {1, 3}) {
      settings.backend = backend;
      settings.threads = 3;
      settings.patches = {patches, 1, 1};
      settings.temporal_blocking = patches == 1 ? 4 : 0;
      EXPECT_EQ(fade<T>(settings), flushed) << test::options_of(settings);
    }
  }
  const volatile T small = std::numeric_limits<T>::denorm_min();
  EXPECT_NE(small * 2, 0) << "the program's own numbers are as before";
}

TEST(Subnormals, AreTakenForZeroWhereThatIsAskedFor) {
  expect_zero_below_the_smallest<float>();
  expect_zero_below_the_smallest<double>();
}

TEST(Subnormals, AreKeptOnGpus) {
  Settings settings;
  settings.backend = Backend::cuda;
  settings.subnormals = Subnormals::flush;
  EXPECT_EQ(test::error_of([&] { Runtime runtime(settings); }),
            "subnormals = flush is refused on GPUs (they compute subnormal numbers as fast as "
            "others); keep them");
}

}  // namespace
}  // namespace goban::subnormals_test
