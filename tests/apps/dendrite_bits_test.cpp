// Equal bits however the work is cut, ordered and computed.

#include <bit>

#include "tests/apps/dendrite_run.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::dendrite::dendrite_bits_test {
namespace {

using test::Cuts;

constexpr double h = 1e-8;  // m

const Index3 space = {19, 17, 13};  // multiples of no pack
const Cuts space_cuts = {{"", "", ""}, {"8,11", "", ""}, {"", "9,8", "6,7"}, {"5,6,8", "10,7", ""}};
const Index3 plane = {37, 22, 1};
const Cuts plane_cuts = {{"", "", ""}, {"17,20", "", ""}, {"9,13,15", "10,12", ""}};

/// Fields, parameters and sums after steps with looks at the tip between them.
template <class T>
test::Results outcome(const Model& model, Index3 cells, double spacing,
                      std::optional<double> highest, const Settings& settings) {
  SmallGrowth<T> growth(model, cells, spacing, settings, highest);
  for (int n = 0; n < 3; ++n) {
    growth.run(4);
    growth.look();
  }
  growth.sum_up();
  const auto bits = [](const Parameter<double>& p) {
    return std::bit_cast<std::uint64_t>(p.value());
  };
  const GrowthStep<T>& step = growth.step;
  return {{"phase", step.phase.checksum()}, {"other", step.other.checksum()},
          {"shifted", bits(step.shifted)},  {"tip", bits(step.tip)},
          {"solid", bits(step.solid)},      {"energy", bits(step.energy)},
          {"content", bits(step.content)}};
}

template <class T>
void expect_equal_bits(const Model& model, Index3 cells, const Cuts& cuts, double spacing,
                       std::optional<double> highest = {}) {
  test::expect_same_bits(
      [&](const Settings& settings) {
        return outcome<T>(model, cells, spacing, highest, settings);
      },
      test::all_ways(cuts, {1, 3}));
}

Model directional(const BoundarySet& boundary) {
  Model model = alloy_model(h, 3);
  model.boundary = boundary;
  model.alloy.undercooling = 30;
  model.alloy.gradient = 5e7;
  model.alloy.cooling_rate = 1e7;
  model.nuclei = {layer(4.4 * h), {.center = {9 * h, 8 * h, 4 * h}, .radius = 5 * h}};
  return model;
}

TEST(DendriteBits, DirectionalGrowthWithNoiseInAMovingFrame_SameChecksumEveryWay) {
  Model model = directional({periodic, mirror, mirror});
  model.alloy.noise = 3;
  expect_equal_bits<float>(model, space, space_cuts, h, 7 * h);
}

TEST(DendriteBits, DirectionalGrowthInThePlane_SameChecksumEveryWay) {
  expect_equal_bits<double>(directional({mirror, mirror, mirror}), plane, plane_cuts, h, 10 * h);
}

TEST(DendriteBits, AlloyAtOneTemperature_SameChecksumEveryWay) {
  Model model = alloy_model(h, 3);
  model.alloy.undercooling = 30;
  model.nuclei = {{.center = {5 * h, 8 * h, 6 * h}, .radius = 4 * h}};
  expect_equal_bits<float>(model, space, space_cuts, h);
}

TEST(DendriteBits, PureMeltWithNoise_SameChecksumEveryWay) {
  Model model = melt_model(0.5, 2);
  model.boundary = {mirror, periodic, mirror};
  model.thermal.noise = 0.01;
  model.nuclei = {{.center = {4, 5, 3}, .radius = 4}};
  expect_equal_bits<float>(model, space, space_cuts, 0.8);
  expect_equal_bits<double>(model, plane, plane_cuts, 0.8, 8);
}

TEST(DendriteBits, PureMelt_SameChecksumEveryWay) {
  Model model = melt_model(0.5, 2);
  model.nuclei = {{.radius = 4}};
  expect_equal_bits<double>(model, space, space_cuts, 0.8);
  expect_equal_bits<float>(model, plane, plane_cuts, 0.8);
}

/// The three ways of the TSUBAME runs: a device computes all, or the CPU what lies at the
/// boundaries of its block in y, or in y and z.
TEST(DendriteBits, CpuAtTheBoundariesOfADevice_SameChecksum) {
  struct Way {
    std::string devices;
    std::array<std::string, 3> cuts;
  };
  const auto results = [&](const Settings& settings) {
    return outcome<float>(directional({periodic, mirror, mirror}), space, h, 7 * h, settings);
  };
  const test::Results expected = results(test::plainest());
  for (const Way& way :
       {Way{"emulated:0", {"", "", ""}}, Way{"cpu+emulated:0+cpu", {"", "3,11,3", ""}},
        Way{"cpu+cpu+cpu+cpu+emulated:0+cpu+cpu+cpu+cpu", {"", "3,11,3", "2,9,2"}}}) {
    for (const Overlap overlap : {Overlap::none, Overlap::one_kernel, Overlap::two_kernel}) {
      for (const int steps_per_exchange : {1, 2}) {
        Settings settings = test::plain_schedule();
        choose_devices(settings, way.devices);
        settings.cuts = way.cuts;
        settings.steps_per_exchange = steps_per_exchange;
        settings.overlap = overlap;
        settings.delay_microseconds = 5;
        EXPECT_EQ(results(settings), expected) << way.devices << " " << name_of(overlap);
      }
    }
  }
}

}  // namespace
}  // namespace goban::dendrite::dendrite_bits_test
