// Quotients of packs are correctly rounded wherever they are computed.

#include <bit>
#include <cmath>

#include "goban/base/mix.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/gpu.hpp"

namespace goban::quotients_test {
namespace {

struct Divide {
  GOBAN_FUNCTION void operator()(auto a, auto b, auto quotient) const { quotient = a() / b(); }
};

constexpr Index3 cells{256, 32, 32};

/// Bit patterns of all kinds: any at all; exponents where iterations begin to fail; mantissas close
/// to 1 and 2; zeros.
float operand(Index3 i, int which) {
  const auto n = static_cast<std::uint64_t>(i[0] + 256 * (i[1] + 32 * i[2]));
  const std::uint64_t random = mix(2 * n + static_cast<std::uint64_t>(which));
  const auto bits = static_cast<std::uint32_t>(random);
  const auto with_exponent = [&](std::uint64_t from, std::uint64_t count) {
    const auto exponent = static_cast<std::uint32_t>(127 - 64 + from + (random >> 40) % count);
    return (bits & 0x807fffffu) | exponent << 23;
  };
  switch (i[0] / 16 % 4) {  // whole packs are alike
    case 0: return std::bit_cast<float>(bits);
    case 1: return std::bit_cast<float>(with_exponent(0, 128));
    case 2:
      return std::bit_cast<float>((bits & 0x80000007u) |
                                  (random >> 63 ? 0x3ffffff8u : 0x3f800000u));
    default:
      return std::bit_cast<float>(random >> 60 == 0 ? bits & 0x80000000u : with_exponent(1, 6));
  }
}

void expect_quotients(const Settings& settings) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = cells});
  Field<float> a(grid, "a"), b(grid, "b"), quotient(grid, "quotient");
  a.fill([](Index3 i) { return operand(i, 0); });
  b.fill([](Index3 i) { return operand(i, 1); });
  Program program("divide");
  program.apply(Divide{}, in(a), in(b), out(quotient));
  StepClock clock;
  Engine(program).run(1, clock);
  const auto found = quotient.copy_out();
  int wrong = 0;
  std::size_t n = 0;
  for (Index k = 0; k < cells[2]; ++k) {
    for (Index j = 0; j < cells[1]; ++j) {
      for (Index i = 0; i < cells[0]; ++i, ++n) {
        const float x = operand({i, j, k}, 0), y = operand({i, j, k}, 1), q = x / y;
        const bool is_same =
            std::bit_cast<std::uint32_t>(found[n]) == std::bit_cast<std::uint32_t>(q);
        if (is_same || (std::isnan(q) && std::isnan(found[n]))) continue;
        if (++wrong < 4) ADD_FAILURE() << x << " / " << y << " is " << found[n] << ", not " << q;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Quotients, OnTheCpuAreThoseOfIeee) { expect_quotients({}); }

TEST(Quotients, OnAGpuAreThoseOfIeee) {
  if (!test::has_gpu()) GTEST_SKIP() << "no GPU";
  Settings settings;
  settings.backend = Backend::cuda;
  settings.devices = {0};
  expect_quotients(settings);
}

}  // namespace
}  // namespace goban::quotients_test
