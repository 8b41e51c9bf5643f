// What drives flows and varies in time: walls, inflows, pressures, forces, sources.

#include <gmock/gmock.h>

#include "tests/apps/flow_run.hpp"
#include "tests/error_text.hpp"

namespace goban::flow::flow_sides_test {
namespace {

using ::testing::HasSubstr;

TimeValue value(const std::string& text) { return *parse_time_value(text, "m/s").value; }

double difference(const std::vector<double>& one, const std::vector<double>& other) {
  double most = 0;
  for (std::size_t i = 0; i < one.size(); ++i) most = std::max(most, std::abs(one[i] - other[i]));
  return most;
}

/// The order in which what a model does after a second converges when steps are halved.
double order_in_time(Model model, TimeScheme scheme, double dt, const GridOptions& grid) {
  model.scheme = scheme;
  const auto after = [&](double step) {
    model.dt = step;
    SmallFlow<2, double> flow(model, grid);
    flow.run(std::lround(1 / step));
    std::vector<double> all = flow.step.faces[0].copy_out();
    for (const auto& scalar : flow.step.scalars) {
      const std::vector<double> more = scalar.copy_out();
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  };
  const auto coarse = after(dt), fine = after(dt / 2), finest = after(dt / 4);
  return std::log2(difference(coarse, fine) / difference(fine, finest));
}

const GridOptions layer{.cells = {4, 8, 1}, .spacing = 0.25};

/// A lid, a wall temperature, a force and a source that swing: stages see them at their own time.
TEST(FlowSides, WhatVariesIsOfTheOrderOfTheSchemeInTime) {
  Model model = plane_model(0.05);
  model.edges = {open, {Edge::wall, Edge::moving}, open};
  model.wall_velocity = {value("sin(5*t)"), 0.0, 0.0};
  Scalar temperature{.diffusivity = 0.05};
  temperature.boundary = BoundarySet(periodic, mirror, periodic);
  temperature.boundary.sides[1][1] = wall_value(value("cos(4*t)"));
  model.scalars = {temperature};
  EXPECT_NEAR(order_in_time(model, TimeScheme::rk3, 0.1, layer), 3, 0.25);
  EXPECT_NEAR(order_in_time(model, TimeScheme::ab2, 0.02, layer), 2, 0.25);
  model.wall_velocity = {0.0, 0.0, 0.0};
  model.scalars[0].boundary = BoundarySet(periodic, mirror, periodic);
  model.acceleration = {value("sin(5*t)"), 0.0, 0.0};
  model.sources = {
      {0, Profile{.shape = Profile::Shape::gaussian, .center = {0.5, 1, 0}}, value("exp(t)")}};
  EXPECT_NEAR(order_in_time(model, TimeScheme::rk3, 0.1, layer), 3, 0.25);
  EXPECT_NEAR(order_in_time(model, TimeScheme::ab2, 0.02, layer), 2, 0.25);
}

TEST(FlowSides, SourcesOfAScalarAddUp) {
  Model model = plane_model(1);
  model.edges = {walls, walls, open};
  Scalar temperature{.diffusivity = 0.1};
  temperature.boundary = BoundarySet(mirror, mirror, periodic);
  model.scalars = {temperature};
  const Profile box{.shape = Profile::Shape::box, .lower = {0, 0, -1}, .upper = {0.5, 1, 1}};
  model.sources = {{0, Profile{}, 3}, {0, box, value("2*t")}};
  model.solids.bodies = {
      SolidBody{.shape = SolidBody::Shape::box, .lower = {0, 0, -1}, .upper = {0.25, 0.25, 1}}};
  model.dt = 0.01;
  model.scheme = TimeScheme::rk3;
  SmallFlow<2, double> flow(model, unit_box<2>(8));
  flow.run(20);
  // 60 cells of fluid, 28 of them in the box, t = 0.2 s.
  EXPECT_NEAR(flow.step.scalars[0].sum(), 60 * 3 * 0.2 + 28 * 0.04, 1e-9);
  EXPECT_EQ(flow.step.scalars[0].get({1, 1, 0}), 0);
}

Model pipe() {
  Model model = plane_model(0.05);
  model.edges = {Ends{Edge::inflow, Edge::outflow}, walls, open};
  model.speed = 1;
  return model;
}
const GridOptions pipe_grid{.cells = {24, 8, 1}, .spacing = 0.125};

double through(const SmallFlow<2, double>& flow, Index face) {
  double sum = 0;
  for (Index j = 0; j < 8; ++j) sum += flow.step.faces[0].get({face, j, 0});
  return sum / 8;
}

TEST(FlowSides, AnInflowThatVaries_LeavesAsItEnters) {
  Model model = pipe();
  model.inflow_velocity = {value("1 + 0.5*sin(3*t)"), value("0.1*t"), 0.0};
  model.planes = {{"middle", Axis::x, 12}};
  for (const bool is_parabolic : {false, true}) {
    model.parabolic_inflow = is_parabolic;
    SmallFlow<2, double> flow(model, pipe_grid);
    flow.run_until(1);
    flow.sum_up();
    double profile = 0;
    for (Index j = 0; j < 8; ++j) {
      const double s = (static_cast<double>(j) + 0.5) / 8;
      profile += is_parabolic ? 4 * s * (1 - s) / 8 : 1.0 / 8;
    }
    const double now = (1 + 0.5 * std::sin(3.0)) * profile;
    EXPECT_NEAR(through(flow, 0), now, 1e-12);
    EXPECT_NEAR(through(flow, 24), now, 1e-12);
    EXPECT_NEAR(flow.step.flow_rates[0].value() / 8, now, 1e-5);
    EXPECT_NEAR(flow.step.velocity_sums[0].value() / (24 * 8), now, 1e-5);
  }
}

/// From two sides, each its own, and out through a third.
TEST(FlowSides, SeveralInflowsMeet) {
  Model model = pipe();
  model.edges[1] = {Edge::inflow, Edge::wall};
  model.inflow_velocity = {1.0, 0.0, 0.0};
  model.inflow_speed[1][0] = TimeValue(0.25);
  SmallFlow<2, double> flow(model, pipe_grid);
  flow.run(20);
  EXPECT_EQ(through(flow, 0), 1);
  EXPECT_EQ(flow.step.faces[1].get({3, 0, 0}), 0.25);
  EXPECT_NEAR(through(flow, 24), 1 + 0.25 * 3, 1e-12);
}

/// As if a force drove it: a parabola, with the error of half-way walls.
TEST(FlowSides, APressureDifference_DrivesAParabola) {
  for (const bool has_body : {false, true}) {  // cells with types
    Model model = plane_model(0.1);
    model.density = 10;
    model.edges = {Ends{Edge::pressure, Edge::pressure}, walls, open};
    model.side_pressure[0] = {TimeValue(9), TimeValue(0)};
    if (has_body) {
      model.solids.bodies = {
          SolidBody{.shape = SolidBody::Shape::box, .lower = {-1, 1, -1}, .upper = {9, 9, 9}}};
    }
    SmallFlow<2, double> flow(model, {.cells = {24, has_body ? 10 : 8, 1}, .spacing = 0.125});
    flow.run_until(40);
    flow.observe();
    for (Index j = 0; j < 8; ++j) {
      const double y = (static_cast<double>(j) + 0.5) / 8;
      for (const Index i : {0, 11, 24}) {
        EXPECT_NEAR(flow.step.faces[0].get({i, j, 0}), 1.5 * (y * (1 - y) + 1.0 / 256), 1e-6);
      }
      EXPECT_NEAR(flow.step.pressure.get({0, j, 0}), 9 - 3.0 / 16, 1e-5);
    }
  }
}

TEST(FlowSides, APressureThatVaries_SpeedsFluidUpAsItShould) {
  Model model = plane_model(1e-3);
  model.edges = {Ends{Edge::pressure, Edge::pressure}, slips, open};
  model.side_pressure[0] = {value("3*cos(2*t)"), 0.0};
  for (const auto scheme : {TimeScheme::ab2, TimeScheme::rk3}) {
    model.scheme = scheme;
    model.dt = 0.01;
    SmallFlow<2, double> flow(model, pipe_grid);
    flow.run(100);
    EXPECT_NEAR(through(flow, 0), std::sin(2.0) / 2, 2e-5);
    EXPECT_NEAR(through(flow, 24), std::sin(2.0) / 2, 2e-5);
  }
}

TEST(FlowSides, AnInflowLeavesThroughAPressure) {
  Model model = pipe();
  model.edges[0][1] = Edge::pressure;
  model.inflow_velocity = {1.0, 0.0, 0.0};
  model.parabolic_inflow = true;
  SmallFlow<2, double> flow(model, pipe_grid);
  flow.run_until(8);
  EXPECT_NEAR(through(flow, 24) / through(flow, 0), 1, 1e-5);
  for (Index j = 0; j < 8; ++j) {
    EXPECT_NEAR(flow.step.faces[0].get({24, j, 0}), flow.step.faces[0].get({0, j, 0}), 0.012);
  }
}

TEST(FlowSides, RegionsThatCannotLetOutWhatEnters_AreRefused) {
  Model model = pipe();
  model.inflow_velocity = {0.1, 0.0, 0.0};
  const auto wall = [](Real3 lower, Real3 upper) {
    return SolidBody{.shape = SolidBody::Shape::box, .lower = lower, .upper = upper};
  };
  model.solids.bodies = {wall({1.5, 0, -1}, {1.75, 1, 1})};
  const std::string closed = test::error_of([&] { SmallFlow<2, double>(model, pipe_grid); });
  EXPECT_THAT(closed, HasSubstr("a region of fluid has an inflow and no way out (0.0125 m3/s enter "
                                "its 96 cells"));
  // Two channels, of which one lets in half as much for its width.
  model.solids.bodies = {wall({0, 0.375, -1}, {3, 0.5, 1}), wall({0, 0.875, -1}, {0.25, 1, 1})};
  const std::string uneven = test::error_of([&] { SmallFlow<2, double>(model, pipe_grid); });
  EXPECT_THAT(uneven, HasSubstr("a region of fluid cannot let out what enters it"));
  EXPECT_THAT(uneven, HasSubstr("\"pressure 0\""));
  model.edges[0][1] = Edge::pressure;
  SmallFlow<2, double>(model, pipe_grid).run(2);
}

TEST(FlowSides, AnInflowThatVariesNeedsAWayOut) {
  Model model = pipe();
  model.edges[0] = {Edge::inflow, Edge::inflow};
  model.inflow_velocity = {value("cos(t)"), 0.0, 0.0};
  EXPECT_THAT(test::error_of([&] { SmallFlow<2, double>(model, pipe_grid); }),
              HasSubstr("what flows in has no way out (an inflow varies"));
}

}  // namespace
}  // namespace goban::flow::flow_sides_test
