// Spectra of what is known.

#include "goban/solver/spectrum.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "tests/error_text.hpp"

namespace goban::spectrum_test {
namespace {

constexpr double pi = std::numbers::pi;

/// A box of 2 pi along x and y, half of it along z.
std::unique_ptr<GridState> box(Index3 cells) {
  auto grid = std::make_unique<GridState>();
  grid->cells = cells;
  for (std::size_t a = 0; a < 3; ++a) {
    grid->spacing[a] = (a == 2 ? pi : 2 * pi) / static_cast<double>(cells[a]);
  }
  return grid;
}

template <class Value>
std::vector<double> values_of(Index3 n, const Value& value) {
  std::vector<double> values;
  for (Index k = 0; k < n[2]; ++k) {
    for (Index j = 0; j < n[1]; ++j) {
      for (Index i = 0; i < n[0]; ++i) values.push_back(value(i, j, k));
    }
  }
  return values;
}

/// Three waves along x, four along y: 5; one along z is twice as short.
TEST(Spectrum, OfTwoWavesHasTwoLines) {
  const Index3 n{16, 12, 10};
  const auto grid = box(n);
  const auto values = values_of(n, [&](Index i, Index j, Index k) {
    const auto angle = [](Index at, Index cells) {
      return 2 * pi * static_cast<double>(at) / static_cast<double>(cells);
    };
    return 2 * std::cos(3 * angle(i, n[0]) + 4 * angle(j, n[1]) + 0.3) + std::sin(angle(k, n[2]));
  });
  const auto lines = spectrum_of(*grid, values);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    EXPECT_NEAR(lines[l].wave_number, static_cast<double>(l), 1e-12);
    EXPECT_NEAR(lines[l].density, l == 5 ? 1 : l == 2 ? 0.25 : 0, 1e-14) << l;
  }
}

TEST(Spectrum, HasHalfTheMeanSquareInAll) {
  for (const Index3& n : {Index3{15, 8, 9}, {9, 16, 1}, {2, 3, 4}}) {
    const auto grid = box(n);
    const auto values = values_of(n, [](Index i, Index j, Index k) {
      return static_cast<double>((i * 7 + j * 13 + k * 29 + i * j * k) % 31) / 15 - 1;
    });
    double square = 0, sum = 0;
    for (const double value : values) square += value * value / static_cast<double>(values.size());
    const auto lines = spectrum_of(*grid, values);
    for (const SpectrumLine& line : lines) sum += line.density * lines[1].wave_number;
    EXPECT_NEAR(sum, square / 2, 1e-13);
  }
}

TEST(Spectrum, OfWhatIsNotPeriodicIsRefused) {
  const auto grid = box({8, 8, 8});
  grid->boundary = {periodic, mirror, periodic};
  EXPECT_THAT(test::error_of([&] { require_spectrum(*grid); }),
              testing::HasSubstr("there is no spectrum (the grid is not periodic along y)"));
}

}  // namespace
}  // namespace goban::spectrum_test
