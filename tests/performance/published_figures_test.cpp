// What the model's papers print, from the machine files of their systems.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "goban/io/file/file.hpp"
#include "goban/io/picture/curve_picture.hpp"
#include "goban/performance/machine/machine_file.hpp"
#include "tests/performance/published_models.hpp"

namespace goban::test::published_figures_test {
namespace {

// Shimokawabe, Aoki, Onodera.

/// Of a device in single precision at its theoretical peaks, GFlops.
double attainable(const std::string& machine, double operations, double bytes) {
  const DeviceRates device = machine_named(machine).device;
  return 1e-9 * roofline_rate(operations, bytes, device.rate(Arithmetic::single_precision),
                              device.memory_bandwidth());
}

constexpr double diffusion_flops = 13, diffusion_bytes = 32;  // F / B = 0.41
constexpr double lattice_flops = 476, lattice_bytes = 260;    // F / B = 1.83

TEST(PublishedFigures, DiffusionOnM2050) {  // section 6.1.2: 56.8 GFlops
  EXPECT_NEAR(attainable("tsubame2", diffusion_flops, diffusion_bytes), 56.8, 0.05);
}

TEST(PublishedFigures, DiffusionOnK20X) {  // section 6.1.3: 99.0 GFlops
  EXPECT_NEAR(attainable("xk6m", diffusion_flops, diffusion_bytes), 99.0, 0.05);
}

TEST(PublishedFigures, LatticeBoltzmannOnM2050) {  // section 6.2.2: 214.5 GFlops
  EXPECT_NEAR(attainable("tsubame2", lattice_flops, lattice_bytes), 214.5, 0.05);
}

/// Figures 7, 8 and 11: a grid cut along y and z into as many columns as there are devices, whose
/// halos go by way of the hosts.
struct Figure {
  MachineRates machine;
  double rate = 0;         ///< of one device, operations a second
  double operations = 0;   ///< a cell and step
  double values = 1;       ///< of a halo cell, 4 bytes each
  double x = 0, edge = 0;  ///< cells

  double step_seconds(double devices) const {
    return operations * x * edge * edge / devices / rate;
  }
  double exchange_seconds(double devices) const {
    const double bytes = 4 * values * x * edge / std::sqrt(devices);
    return staged_halo_seconds(4, bytes, machine.network, machine.host_copy,
                               machine.devices_per_network_link);
  }
  double without_overlap(double devices) const {
    return rate_without_overlap(devices, step_seconds(devices) * rate, rate,
                                exchange_seconds(devices));
  }
  double with_overlap(double devices) const {
    return rate_with_overlap(devices, step_seconds(devices) * rate, rate,
                             exchange_seconds(devices));
  }
  /// Up to here all of the exchange is hidden.
  double bend() const {
    double low = 1, high = 1e6;
    while (high / low > 1.001) {
      const double middle = std::sqrt(low * high);
      (exchange_seconds(middle) < step_seconds(middle) ? low : high) = middle;
    }
    return low;
  }
};

Figure diffusion_on(const std::string& name, double edge) {
  return {machine_named(name),
          1e9 * attainable(name, diffusion_flops, diffusion_bytes),
          diffusion_flops,
          1,
          edge,
          edge};
}

void expect_shape(const Figure& figure) {
  const double bend = figure.bend();
  for (const double devices : {0.25 * bend, 0.9 * bend}) {  // hidden: as many times one device
    EXPECT_DOUBLE_EQ(figure.with_overlap(devices), devices * figure.rate);
    EXPECT_LT(figure.without_overlap(devices), figure.with_overlap(devices));
  }
  // At the bend overlap saves half of the time, and nowhere more.
  EXPECT_NEAR(figure.with_overlap(bend) / figure.without_overlap(bend), 2, 0.01);
  // Beyond it rates grow by less than the root of the number of devices, and ever less.
  double growth = std::sqrt(2);
  for (double devices = 1.1 * bend; devices < 20 * bend; devices *= 2) {
    const double next = figure.with_overlap(2 * devices) / figure.with_overlap(devices);
    EXPECT_GT(next, 1);
    EXPECT_LT(next, growth);
    growth = next;
  }
}

TEST(PublishedFigures, DiffusionScalesOnTsubame) {  // figure 7: 512^3, 1024^3, 2048^3
  std::vector<double> bends;
  for (const double edge : {512.0, 1024.0, 2048.0}) {
    const Figure figure = diffusion_on("tsubame2", edge);
    expect_shape(figure);
    bends.push_back(figure.bend());
  }
  // Section 6.1.2: 2048^3 follows the model up to 300 GPUs; 512^3 bends at some tens.
  EXPECT_GT(bends[0], 10);
  EXPECT_LT(bends[0], 50);
  EXPECT_GT(bends[2], 300);
  for (std::size_t n = 1; n < 3; ++n) {  // latency matters less in larger grids
    EXPECT_GT(bends[n] / bends[n - 1], 4);
    EXPECT_LT(bends[n] / bends[n - 1], 8);
  }
}

TEST(PublishedFigures, DiffusionScalesOnTheCray) {  // figure 8: 512^3, 1024^3 on up to 40 GPUs
  const Figure small = diffusion_on("xk6m", 512), large = diffusion_on("xk6m", 1024);
  expect_shape(small);
  expect_shape(large);
  EXPECT_GT(large.bend(), 40);  // all of it hidden on the whole system
}

/// Buffers are not aligned: table 1, first row.
Figure lattice_on_tsubame(double edge) {
  MachineRates machine = machine_named("tsubame2");
  machine.network = {6.07e-6, 3.67e9};
  const double rate = 1e9 * attainable("tsubame2", lattice_flops, lattice_bytes);
  return {machine, rate, lattice_flops, 13, 192, edge};
}

TEST(PublishedFigures, LatticeBoltzmannScalesOnTsubame) {  // figure 11
  const Figure smallest = lattice_on_tsubame(512);
  for (const double edge : {512.0, 2048.0, 4096.0}) {
    const Figure figure = lattice_on_tsubame(edge);
    expect_shape(figure);
    // All bend where devices have columns of one cross-section.
    EXPECT_NEAR(figure.bend() / smallest.bend() / std::pow(edge / 512, 2), 1, 0.01);
  }
  // Section 6.2.2: the slowing down is seen with 192 x 512 x 512.
  EXPECT_GT(smallest.bend(), 1);
  EXPECT_LT(smallest.bend(), 30);
}

// Liu, Perumalla.

constexpr Extents reach_of(Index delta) { return {{delta, delta, delta}, {delta, delta, delta}}; }

TEST(PublishedEquations, ShrinkingCycles) {  // eq. (2), expanded
  for (const double delta : {1.0, 3.0}) {
    for (const double R : {1.0, 2.0, 7.0}) {
      const double B = 40;
      const double expanded =
          2 * std::pow(delta, 3) * std::pow(R, 4) +
          (4 * B * delta * delta - 4 * std::pow(delta, 3)) * std::pow(R, 3) +
          (3 * B * B * delta - 6 * B * delta * delta + 2 * std::pow(delta, 3)) * R * R +
          (B * B * B - 3 * B * B * delta + 2 * B * delta * delta) * R;
      EXPECT_DOUBLE_EQ(cells_of_shrinking_cycle({40, 40, 40}, reach_of(static_cast<Index>(delta)),
                                                static_cast<int>(R)),
                       expanded);
    }
  }
}

TEST(PublishedEquations, ConstantCyclesAndExchanges) {  // eq. (3) and (5)
  EXPECT_DOUBLE_EQ(cells_of_constant_cycle({400, 400, 400}, reach_of(2), 5),
                   5 * std::pow(400 + 2 * 5 * 2, 3));
  EXPECT_DOUBLE_EQ(cells_of_exchange({300, 300, 300}, reach_of(3), 4),
                   std::pow(300 + 2 * 3 * 4, 3) - std::pow(300, 3));
}

TEST(PublishedEquations, BoxesNeedNotBeCubes) {
  const Extents one_sided{{1, 0, 0}, {0, 0, 2}};
  EXPECT_EQ(cells_of_shrinking_cycle({4, 5, 6}, one_sided, 2), 4 * 5 * 6 + 5 * 5 * 8);
  EXPECT_EQ(cells_of_exchange({4, 5, 6}, one_sided, 1), 5 * 5 * 8 - 4 * 5 * 6);
}

/// A node of the Cray with heat diffusion in single precision.
ExpansionCosts costs_of_titan() {
  const MachineRates machine = machine_named("xk6m");
  ExpansionCosts costs;
  costs.seconds_per_update =
      diffusion_flops / (1e9 * attainable("xk6m", diffusion_flops, diffusion_bytes));
  costs.network = machine.network;
  costs.device = machine.host_copy;
  return costs;
}

/// Figures 6 and 8: 1200^3 cells on 27 and on 64 nodes, R delta at most the edge of a box.
TEST(PublishedFigures, ExpansionHasAnOptimum) {
  const ExpansionCosts costs = costs_of_titan();
  double gain_of_smaller = 0;
  for (const Index edge : {300, 400}) {
    int before = 1000;
    double gain_before = 1000;
    for (const Index delta : {1, 2, 3}) {
      const Index3 box{edge, edge, edge};
      const Extents reach = reach_of(delta);
      const int best = best_steps_per_exchange(box, reach, static_cast<int>(edge / delta), costs);
      // Time falls and rises again well before R delta reaches the box.
      EXPECT_GT(best, 5) << edge << " " << delta;
      EXPECT_LT(best, 60) << edge << " " << delta;
      EXPECT_LT(best, before);  // section 5.4: smaller delta gains more
      const double gain =
          seconds_per_step(box, reach, 1, costs) / seconds_per_step(box, reach, best, costs);
      EXPECT_GT(gain, 2);
      EXPECT_LT(gain, 9.5);  // abstract: as much as 9 times
      EXPECT_LT(gain, gain_before);
      before = best;
      gain_before = gain;
      // Section 5.4: bigger boxes gain more.
      if (delta != 1) continue;
      EXPECT_GT(gain, gain_of_smaller);
      gain_of_smaller = gain;
    }
  }
}

/// Ends of all lines of an SVG, in pixels.
std::vector<double> lines_in(const std::string& svg) {
  std::istringstream elements(svg);
  std::vector<double> numbers;
  for (std::string element; std::getline(elements, element);) {
    const auto begin = element.find(" d=\"");
    if (element.find("stroke-width") == std::string::npos || begin == std::string::npos) continue;
    std::istringstream path(element.substr(begin + 4, element.find('"', begin + 4) - begin - 4));
    for (std::string word; path >> word;) {
      if (!std::isalpha(static_cast<unsigned char>(word[0]))) numbers.push_back(std::stod(word));
    }
  }
  return numbers;
}

/// A picture of docs/pictures. GOBAN_WRITE_PICTURES=1 renews it. Another version of cairo or
/// another font moves lines by some pixels.
void expect_picture(const std::string& name, const std::vector<Curve>& curves,
                    const CurvePictureOptions& options) {
  const std::string path = std::string(GOBAN_SOURCE_DIR) + "/docs/pictures/" + name;
  if (std::getenv("GOBAN_WRITE_PICTURES")) write_curve_picture(path, {{curves, options}});
  const std::vector<double> stored = lines_in(read_text(path)),
                            drawn =
                                lines_in(curve_picture({{curves, options}}, PictureFormat::svg));
  EXPECT_GT(drawn.size(), 200u);
  EXPECT_THAT(drawn, testing::Pointwise(testing::DoubleNear(8), stored)) << name;
}

/// With overlap a line, without it a dashed one; what the paper says of sizes as points.
void expect_picture(const std::string& name, const std::string& title,
                    const std::vector<std::pair<std::string, Figure>>& figures, double most,
                    const Curve& published) {
  std::vector<Curve> curves;
  for (const auto& [label, figure] : figures) {
    Curve with{label, {}, {}, CurveStyle::line},
        without{label + ", no overlap", {}, {}, CurveStyle::dashed};
    for (double devices = 1; devices <= most; devices *= 1.2) {
      for (Curve* curve : {&with, &without}) curve->x.push_back(devices);
      with.y.push_back(1e-9 * figure.with_overlap(devices));
      without.y.push_back(1e-9 * figure.without_overlap(devices));
    }
    curves.push_back(with);
    curves.push_back(without);
  }
  curves.push_back(published);
  expect_picture(name, curves,
                 {.title = title,
                  .x_name = "GPUs",
                  .y_name = "rate",
                  .y_unit = "GFlops",
                  .x_scale = AxisScale::logarithmic,
                  .y_scale = AxisScale::logarithmic});
}

TEST(PublishedFigures, ArePicturesOfTheDocuments) {
  const auto published = [](double rate) {
    return Curve{"published, one GPU", {1}, {rate}, CurveStyle::points};
  };
  expect_picture("figure7.svg", "Diffusion on TSUBAME 2.0",
                 {{"512^3", diffusion_on("tsubame2", 512)},
                  {"1024^3", diffusion_on("tsubame2", 1024)},
                  {"2048^3", diffusion_on("tsubame2", 2048)}},
                 1000, published(56.8));
  expect_picture("figure8.svg", "Diffusion on a Cray XK6m",
                 {{"512^3", diffusion_on("xk6m", 512)}, {"1024^3", diffusion_on("xk6m", 1024)}}, 50,
                 published(99.0));
  expect_picture("figure11.svg", "Lattice Boltzmann on TSUBAME 2.0",
                 {{"192 x 512^2", lattice_on_tsubame(512)},
                  {"192 x 2048^2", lattice_on_tsubame(2048)},
                  {"192 x 4096^2", lattice_on_tsubame(4096)}},
                 1000, published(214.5));
  const ExpansionCosts costs = costs_of_titan();
  std::vector<Curve> times;
  for (const auto& [edge, nodes] : {std::pair<Index, int>{400, 27}, {300, 64}}) {
    for (const Index delta : {1, 2, 3}) {
      Curve curve{fmt::format("{} nodes, reach {}", nodes, delta),
                  {},
                  {},
                  nodes == 27 ? CurveStyle::line : CurveStyle::dashed};
      for (int steps = 1; steps * delta <= 100; ++steps) {
        curve.x.push_back(steps);
        curve.y.push_back(1e3 *
                          seconds_per_step({edge, edge, edge}, reach_of(delta), steps, costs));
      }
      times.push_back(std::move(curve));
    }
  }
  expect_picture("expansion.svg", times,
                 {.title = "1200^3 cells, ghost expansion",
                  .x_name = "steps an exchange",
                  .y_name = "a step",
                  .y_unit = "ms",
                  .y_scale = AxisScale::logarithmic});
}

}  // namespace
}  // namespace goban::test::published_figures_test
