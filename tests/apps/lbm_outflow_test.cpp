// What leaves through an outflow, and what comes back.

#include <algorithm>

#include "lbm/collisions.hpp"
#include "tests/apps/lbm_run.hpp"
#include "tests/apps/one_thread.hpp"

namespace goban::lbm::lbm_outflow_test {
namespace {

constexpr Index length = 600;
constexpr double speed = 0.05;
const double sound = 1 / std::sqrt(3.0);

/// Small flows gain nothing by more.
/// A uniform stream from an inflow to an outflow, with a density of its own.
class Stream {
 public:
  template <class Excess>
  explicit Stream(Excess excess, Index cells = length)
      : flow_(model(), {.cells = {cells, 1, 1}}, one_thread()) {
    flow_.step.f.fill([&](Index3 cell, int q) {
      // A wave that travels along x: u - speed = sound (rho - 1).
      const double e = cell[0] == 0 ? 0 : excess(cell[0]);
      const double u = speed + sound * e;
      const Moments<double> m{e, 1 + e, {u, 0, 0}, 1.5 * u * u};
      if (cell[0] == 0 && q > 0) return 6 * D2Q9::weight(q) * along<D2Q9>(m.u, q);
      return equilibrium<D2Q9>(m, q);
    });
  }
  void run(Index steps) { flow_.run(steps); }
  double largest_excess() {
    flow_.observe();
    return std::max(flow_.step.density.maximum() - 1, 1 - flow_.step.density.minimum());
  }

 private:
  static Model model() {
    Model model = plane_model(Model::Collision::bgk, 0.52);
    model.edges[0] = {Edge::inflow, Edge::outflow};
    model.inflow_velocity = {speed, 0, 0};
    return model;
  }
  SmallFlow<D2Q9, double> flow_;
};

/// The part of a pulse of sound of this standard deviation that comes back.
double reflected(double width) {
  constexpr double height = 1e-3, start = length / 2.0;
  Stream stream([&](Index i) {
    const double s = (static_cast<double>(i) - start) / width;
    return height * std::exp(-s * s / 2);
  });
  stream.run(static_cast<Index>(length * 0.85 / sound));  // to the outflow and half-way back
  return stream.largest_excess() / height;
}

TEST(LbmOutflow, LetsSoundOut) {
  const double narrow = reflected(3), wide = reflected(20);
  RecordProperty("narrow", std::to_string(narrow));
  RecordProperty("wide", std::to_string(wide));
  EXPECT_LE(narrow, 0.02);
  EXPECT_LE(wide, 0.08);
}

TEST(LbmOutflow, TiesTheDensityDown) {
  Stream stream([](Index) { return 0.01; }, 128);
  EXPECT_NEAR(stream.largest_excess(), 0.01, 1e-12);
  stream.run(20 * 128);
  EXPECT_LE(stream.largest_excess(), 0.001);
}

TEST(LbmOutflow, ChannelsGradientOfPressure_IsNoWave) {
  // Taken for one, it lifts the density at the outflow by 500 c_s d(rho)/dx = 0.135, and what
  // enters with a given velocity is slower by as much.
  constexpr Index width = 16, channel = 48;
  constexpr double most = 0.05;
  Model model = plane_model(Model::Collision::trt, 0.8);
  model.edges[0] = {Edge::inflow, Edge::outflow};
  model.edges[1] = {Edge::wall, Edge::wall};
  model.parabolic_inflow = true;
  model.inflow_velocity = {most, 0, 0};
  model.start = Model::Start::inflow;
  SmallFlow<D2Q9, double> flow(model, {.cells = {channel + 2, width, 1}}, one_thread());
  flow.run(6000);
  flow.observe();
  const double gradient = -3 * 8 * model.viscosity() * most / (width * width);  // of density
  for (Index j = 0; j < width; ++j) {
    const double y = static_cast<double>(j) + 0.5;
    const double parabola = 4 * most * y * (width - y) / (width * width);
    EXPECT_NEAR(flow.step.velocity.get({channel - 8, j, 0}) / parabola, 1, 0.015) << j;
    EXPECT_NEAR(flow.step.density.get({channel + 1, j, 0}), 1, 1e-5) << j;
    EXPECT_NEAR(flow.step.density.get({channel - 7, j, 0}) - 1, -8 * gradient, -0.1 * gradient);
  }
}

TEST(LbmOutflow, AWeightIsNoWave) {
  // Fluid at rest between a wall and an outflow, whose weight is its gradient of pressure.
  Model model = plane_model(Model::Collision::trt, 0.8);
  model.edges[0] = {Edge::wall, Edge::outflow};
  model.force = {1e-5, 0, 0};
  SmallFlow<D2Q9, double> flow(model, {.cells = {33, 4, 1}}, one_thread());
  flow.run(8000);
  flow.observe();
  EXPECT_NEAR(flow.step.density.get({32, 1, 0}), 1, 1e-6);
  EXPECT_NEAR(flow.step.density.get({0, 1, 0}) - 1, -3 * 1e-5 * 32, 2e-6);
}

TEST(LbmOutflow, UniformStream_StaysUniform) {
  Stream stream([](Index) { return 0.0; }, 64);
  stream.run(1000);
  EXPECT_LE(stream.largest_excess(), 1e-14);
}

TEST(LbmOutflow, BackflowBehindABody_StaysBounded) {
  // A plate 36 cells before the outflow; its wake reaches beyond. Fluid that entered with the speed
  // of the cell beside the outflow gave NaN within 800 steps.
  for (const double tau : {0.56, 0.53}) {
    Model model = plane_model(Model::Collision::bgk, tau);
    model.edges[0] = {Edge::inflow, Edge::outflow};
    model.inflow_velocity = model.start_velocity = {0.08, 0, 0};
    model.solids.bodies = {
        SolidBody{.shape = SolidBody::Shape::box, .lower = {20, 10, 0}, .upper = {24, 30, 1}}};
    SmallFlow<D2Q9, double> flow(model, {.cells = {60, 40, 1}}, one_thread());
    double least = 0;
    for (int n = 0; n < 20; ++n) {
      flow.run(200);
      flow.observe();
      double largest = 0;
      for (Index j = 0; j < 40; ++j) {
        const double u = flow.step.velocity.get({58, j, 0}, 0);
        least = std::min(least, u);
        largest = std::max(largest, std::abs(u));
      }
      ASSERT_LE(largest, 0.4) << "tau " << tau << ", step " << 200 * (n + 1);
    }
    EXPECT_LT(least, -0.001) << "nothing flows back";
  }
}

TEST(LbmOutflow, VorticesThatLeave_SendNoSoundBack) {
  // DFG 2D-2 with 12 cells over the cylinder and half its channel: what vortices send back when
  // they leave swings the drag by 0.34 where the outflow takes the density and velocity of the cell
  // before it. Right are 0.03; at this resolution a longer channel gives 0.06, too.
  constexpr Index diameter = 12;
  constexpr double mean_speed = 0.06, h = 0.1 / diameter;
  Model model = plane_model(Model::Collision::trt, 0.5 + 3 * mean_speed * diameter / 100);
  model.magic = 0.05;
  model.length_unit = h;
  model.edges[0] = {Edge::inflow, Edge::outflow};
  model.edges[1] = {Edge::wall, Edge::wall};
  model.parabolic_inflow = true;
  model.inflow_velocity = {1.5 * mean_speed, 0, 0};
  model.start = Model::Start::inflow;
  model.solids.bodies = {SolidBody{.shape = SolidBody::Shape::cylinder,
                                   .lower = {0, 0, -1},
                                   .upper = {1, 1, 1},
                                   .center = {0.2, 0.2, 0},
                                   .radius = 0.05}};
  SmallFlow<D2Q9, double> flow(
      model, {.cells = {11 * diameter + 2, 49, 1}, .spacing = h, .origin = {-h}}, one_thread());
  flow.run(9000);
  double least = 1e9, most = -1e9;
  for (int n = 0; n < 50; ++n) {  // three periods of the drag
    flow.run(20);
    flow.sum_up();
    const double drag = flow.step.force[0].value() / (0.5 * mean_speed * mean_speed * diameter);
    least = std::min(least, drag);
    most = std::max(most, drag);
  }
  RecordProperty("swing", std::to_string((most - least) / 2));
  EXPECT_LE((most - least) / 2, 0.08);
  EXPECT_GE((most - least) / 2, 0.02) << "it sheds no vortices";
}

TEST(LbmOutflow, OutflowsThatMeetAtAnEdge_LetAStreamOut) {
  Model model = plane_model(Model::Collision::trt, 0.55);
  model.edges[0] = {Edge::inflow, Edge::outflow};
  model.edges[1] = {Edge::outflow, Edge::outflow};
  model.inflow_velocity = model.start_velocity = {0.05, 0, 0};
  model.solids.bodies = {
      SolidBody{.shape = SolidBody::Shape::box, .lower = {10, 12, 0}, .upper = {14, 18, 1}}};
  SmallFlow<D2Q9, double> flow(model, {.cells = {48, 32, 1}}, one_thread());
  flow.run(4000);
  flow.observe();
  EXPECT_LE(flow.step.velocity.maximum(0), 0.1);
  EXPECT_NEAR(flow.step.density.maximum(), 1, 0.02);
  EXPECT_NEAR(flow.step.density.minimum(), 1, 0.02);
  EXPECT_GE(flow.step.velocity.get({47, 2, 0}, 0), 0.03);
}

}  // namespace
}  // namespace goban::lbm::lbm_outflow_test
