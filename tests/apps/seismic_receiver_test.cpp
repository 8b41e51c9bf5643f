// What receivers write, from a case to its file.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "goban/io/case_read.hpp"
#include "goban/io/csv.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application.hpp"
#include "goban/simulation/simulation.hpp"
#include "seismic/interpolation.hpp"
#include "seismic/model.hpp"

namespace goban {
const Application& seismic_application();
}

namespace goban::seismic {
namespace {

namespace fs = std::filesystem;

double interpolated(double place, Index count, double (*f)(double)) {
  const Weights weights = weights_at(place, count);
  double sum = 0;
  for (std::size_t i = 0; i < weights.of.size(); ++i) {
    sum += weights.of[i] * f(static_cast<double>(weights.first + static_cast<Index>(i)));
  }
  return sum;
}

TEST(SeismicReceiver, Weights_AreExactForCubicsEvenAtTheEnds) {
  const auto cubic = [](double x) { return 1 + x * (2 - x * (3 - 0.5 * x)); };
  for (const double place : {-0.5, 0.0, 0.3, 4.0, 5.75, 8.5, 9.4}) {
    EXPECT_NEAR(interpolated(place, 10, cubic), cubic(place), 1e-12) << place;
  }
  EXPECT_EQ(weights_at(4.6, 10).first, 3);
  EXPECT_EQ(weights_at(0.5, 1).of, std::vector<double>{1});
}

TEST(SeismicReceiver, SeismogramsOfAPlaneWave_AreItsVelocityAndDisplacement) {
  constexpr double pi = std::numbers::pi, vp = 1.7;
  const fs::path folder = fs::path(::testing::TempDir()) / "goban_seismic_receiver";
  const std::string text =
      "app = \"seismic\"\n[grid]\ncells = [24, 20, 16]\n[time]\nsteps = 40\n"
      "[run]\nprecision = \"float64\"\n[initial]\nwave = \"p\"\nwaves = [1, 1, 0]\n"
      "amplitude = 2\n[[layer]]\nvp = 1.7\nvs = 1\ndensity = 3\n"
      "[[receiver]]\nname = \"one\"\nposition = [7.3, 3.25, 5.9]\n";
  CaseSchema schema;
  seismic_application().declare(schema);
  const Case values = parse_case(schema, text, "waves.toml");
  Settings settings;
  settings.threads = 1;
  Runtime runtime(settings);
  const auto setup = seismic_application().setup(values, runtime);
  setup->simulation().options().directory = folder.string();
  setup->simulation().options().measure_bandwidth = false;
  const double dt = setup->simulation().options().dt.current();
  setup->simulation().run();

  const CsvTable table = read_csv(folder / "waves_one.csv");
  ASSERT_EQ(table.rows(), 41);
  const Real3 k = {2 * pi / 24, 2 * pi / 20, 0};
  const double w = discrete_frequency(vp, k, {1, 1, 1}, dt, 4);
  const double size = std::hypot(wave_number(k[0], 1, 4), wave_number(k[1], 1, 4));
  const double place = k[0] * 7.3 + k[1] * 3.25;
  for (std::size_t a = 0; a < 2; ++a) {
    const double height = 2 * wave_number(k[a], 1, 4) / size;
    const std::string axis(1, "xy"[a]);
    const auto& velocity = table.values[table.column("velocity_" + axis)];
    const auto& displacement = table.values[table.column("displacement_" + axis)];
    for (std::size_t n = 0; n < velocity.size(); ++n) {
      const double t = table.values[table.column("time")][n];
      EXPECT_NEAR(velocity[n], height * std::sin(place - w * t), 2e-3);
      const double moved = height / w * (std::cos(place - w * t) - std::cos(place));
      EXPECT_NEAR(displacement[n], moved, 2e-2);
    }
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace goban::seismic
