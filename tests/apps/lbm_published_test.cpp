// Flows whose numbers are published.

#include <vector>

#include "tests/apps/lbm_run.hpp"

namespace goban::lbm::lbm_published_test {
namespace {

struct Point {
  double at, value;
};

// Ghia, Ghia, Shin, J. Comput. Phys. 48 (1982) 387, tables I and II, Re 100: u over y at x = 1/2
// and v over x at y = 1/2.
const std::vector<Point> ghia_u = {{0.0547, -0.03717}, {0.0625, -0.04192}, {0.0703, -0.04775},
                                   {0.1016, -0.06434}, {0.1719, -0.10150}, {0.2813, -0.15662},
                                   {0.4531, -0.21090}, {0.5000, -0.20581}, {0.6172, -0.13641},
                                   {0.7344, 0.00332},  {0.8516, 0.23151},  {0.9531, 0.68717},
                                   {0.9609, 0.73722},  {0.9688, 0.78871},  {0.9766, 0.84123}};
const std::vector<Point> ghia_v = {{0.0625, 0.09233},  {0.0703, 0.10091},  {0.0781, 0.10890},
                                   {0.0938, 0.12317},  {0.1563, 0.16077},  {0.2266, 0.17507},
                                   {0.2344, 0.17527},  {0.5000, 0.05454},  {0.8047, -0.24533},
                                   {0.8594, -0.22445}, {0.9063, -0.16914}, {0.9453, -0.10313},
                                   {0.9531, -0.08864}, {0.9609, -0.07391}, {0.9688, -0.05906}};

/// Values at cell centres (i + 1/2) / n, interpolated.
double between(const std::vector<double>& cells, double at) {
  const double place = at * static_cast<double>(cells.size()) - 0.5;
  const auto low = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(low);
  return (1 - part) * cells[low] + part * cells[low + 1];
}

TEST(LbmPublished, LidDrivenCavity_IsThatOfGhia) {
  constexpr Index n = 64;
  constexpr double lid = 0.1;
  Model model = plane_model(Model::Collision::trt, 0.5 + 3 * lid * n / 100);
  model.edges[0] = {Edge::wall, Edge::wall};
  model.edges[1] = {Edge::wall, Edge::moving};
  model.wall_velocity = {lid, 0, 0};
  SmallFlow<D2Q9, double> flow(model, {.cells = {n, n + 1, 1}});
  flow.run(20000);
  flow.observe();
  std::vector<double> u(n), v(n);
  const auto& velocity = flow.step.velocity;
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    u[at] = (velocity.get({n / 2 - 1, i, 0}, 0) + velocity.get({n / 2, i, 0}, 0)) / (2 * lid);
    v[at] = (velocity.get({i, n / 2 - 1, 0}, 1) + velocity.get({i, n / 2, 0}, 1)) / (2 * lid);
  }
  double worst_u = 0, worst_v = 0;
  for (const auto& [y, value] : ghia_u) {
    worst_u = std::max(worst_u, std::abs(between(u, y) - value));
  }
  for (const auto& [x, value] : ghia_v) {
    worst_v = std::max(worst_v, std::abs(between(v, x) - value));
  }
  RecordProperty("worst_u", std::to_string(worst_u));
  RecordProperty("worst_v", std::to_string(worst_v));
  EXPECT_LE(worst_u, 0.01);
  EXPECT_LE(worst_v, 0.01);
}

/// Drag of the cylinder of the DFG benchmark 2D-1 (Schaefer, Turek 1996) with this many cells over
/// its diameter.
double cylinder_drag(Index diameter, double largest_speed, Index steps) {
  const double mean_speed = largest_speed * 2 / 3;
  const double h = 0.1 / static_cast<double>(diameter);
  Model model =
      plane_model(Model::Collision::trt, 0.5 + 3 * mean_speed * static_cast<double>(diameter) / 20);
  model.length_unit = h;
  model.edges[0] = {Edge::inflow, Edge::outflow};
  model.edges[1] = {Edge::wall, Edge::wall};
  model.parabolic_inflow = true;
  model.inflow_velocity = {largest_speed, 0, 0};
  model.start = Model::Start::inflow;
  model.solids.bodies = {SolidBody{.shape = SolidBody::Shape::cylinder,
                                   .lower = {0, 0, -1},
                                   .upper = {1, 1, 1},
                                   .center = {0.2, 0.2, 0},
                                   .radius = 0.05}};
  SmallFlow<D2Q9, double> flow(
      model, {.cells = {22 * diameter + 2, diameter * 41 / 10, 1}, .spacing = h, .origin = {-h}});
  flow.run(steps);
  flow.sum_up();
  return flow.step.force[0].value() /
         (0.5 * mean_speed * mean_speed * static_cast<double>(diameter));
}

TEST(LbmPublished, CylinderDrag_IsThatOfTheBenchmark) {
  const double drag = cylinder_drag(20, 0.1, 8000);
  RecordProperty("drag", std::to_string(drag));
  EXPECT_NEAR(drag / 5.57953523384, 1, 0.02);
}

}  // namespace
}  // namespace goban::lbm::lbm_published_test
