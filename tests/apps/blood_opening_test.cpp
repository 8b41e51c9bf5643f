// Vessels with openings at any angle.

#include <limits>
#include <numbers>

#include "goban/io/case/time_value.hpp"
#include "tests/apps/blood_run.hpp"

namespace goban::blood::blood_opening_test {
namespace {

using namespace vectors;

/// A tilted pipe with an opening at each end.
struct Pipe {
  double radius, length;
  Real3 along = direction({1, 0.6, 0.3});

  Real3 begin() const { return {radius + 2, radius + 1.1, radius + 1.7}; }
  Real3 end() const { return begin() + length * along; }
  Index3 cells() const {
    Index3 n;
    for (std::size_t a = 0; a < 3; ++a) n[a] = static_cast<Index>(std::ceil(end()[a] + radius)) + 1;
    return n;
  }
  std::shared_ptr<const Vessel> vessel(const std::vector<FlowOpening>& openings) const {
    const CellPlace place{{0, 0, 0}, 1, cells()};
    const std::vector<VesselSegment> segments = {{begin(), end(), radius, radius}};
    const std::vector<Opening> discs(openings.begin(), openings.end());
    return std::make_shared<Vessel>(
        make_vessel(cells_of(segments, place), *wall_of(segments, place), place, discs));
  }
  FlowOpening opening(FlowOpening::Kind kind, double value, bool is_end) const {
    FlowOpening opening;
    opening.name = is_end ? "outlet" : "inlet";
    opening.center = is_end ? end() : begin();
    opening.normal = is_end ? along : -1 * along;
    opening.radius = radius;
    opening.kind = kind;
    opening.value = value;
    return opening;
  }
};

struct Measured {
  double velocity;  ///< relative L2 distance from the parabola in the middle third
  double slope;     ///< of the pressure there, over the exact one
  double in, out;   ///< flow rates over the exact one
  double outlet_excess;
};

Measured measure(const Pipe& pipe, const SmallVessel<double>& vessel, const ActiveCells& fluid,
                 double largest, double nu) {
  const auto u = vessel.step.velocity.copy_out(), p = vessel.step.pressure.copy_out();
  const std::size_t all = p.size();
  const CellPlace place{{0, 0, 0}, 1, pipe.cells()};
  const double R = pipe.radius, exact_flow = std::numbers::pi * R * R * largest / 2;
  double square = 0, norm_square = 0, sy = 0, sp = 0, syy = 0, syp = 0, count = 0;
  std::size_t n = 0;
  for (Index k = 0; k < place.cells[2]; ++k) {
    for (Index j = 0; j < place.cells[1]; ++j) {
      for (Index i = 0; i < place.cells[0]; ++i, ++n) {
        if (!fluid.contains({i, j, k})) continue;
        const Real3 offset = place.center({i, j, k}) - pipe.begin();
        const double y = dot(offset, pipe.along);
        if (y < pipe.length / 3 || y > 2 * pipe.length / 3) continue;
        const double exact = largest * (1 - (dot(offset, offset) - y * y) / (R * R));
        const Real3 off = Real3{u[n], u[all + n], u[2 * all + n]} - exact * pipe.along;
        square += dot(off, off);
        norm_square += exact * exact;
        sy += y;
        sp += p[n];
        syy += y * y;
        syp += y * p[n];
        count += 1;
      }
    }
  }
  const double slope = (syp - sy * sp / count) / (syy - sy * sy / count);
  const auto& flows = vessel.step.flows;
  return {std::sqrt(square / norm_square), -slope / (4 * nu * largest / (R * R)),
          -flows[0].out.value() / exact_flow, flows[1].out.value() / exact_flow,
          flows[1].excess.value() / static_cast<double>(flows[1].cells)};
}

/// Between a velocity or a pressure and a pressure of 0, at rest until then.
Measured flow_between(FlowOpening::Kind kind, double radius, double reynolds, Index steps) {
  const Pipe pipe{radius, 5 * radius};
  Model model;
  model.density_unit = 1;
  const double largest = reynolds > 1 ? 0.05 : 0.1 / radius, nu = radius * largest / reynolds;
  model.tau = 0.5 + 3 * nu;
  model.magic = std::min(3.0 / 16, 9 * nu * nu / (largest * largest));
  const double drop = 4 * nu * largest / (radius * radius) * pipe.length;
  const double given = kind == FlowOpening::Kind::velocity ? largest : drop;
  model.openings = {pipe.opening(kind, given, false),
                    pipe.opening(FlowOpening::Kind::pressure, 0, true)};
  const auto cells = pipe.vessel(model.openings);
  SmallVessel<double> vessel(model, {.cells = pipe.cells()}, cells, {}, Cells::active);
  vessel.run(steps);
  vessel.observe();
  vessel.sum_up();
  return measure(pipe, vessel, cells->fluid, largest, nu);
}

TEST(BloodOpening, FromAVelocityToAPressure_APipeHasItsParabola) {
  const Measured pipe = flow_between(FlowOpening::Kind::velocity, 6, 1, 1500);
  EXPECT_LE(pipe.velocity, 0.01);
  EXPECT_NEAR(pipe.slope, 1, 0.025);
  EXPECT_NEAR(pipe.in / pipe.out, 1, 0.01);
  EXPECT_NEAR(pipe.in, 1, 0.02);
  EXPECT_NEAR(pipe.outlet_excess, 0, 1e-3);
}

TEST(BloodOpening, FromAPressureToAPressure_APipeHasItsFlow) {
  const Measured pipe = flow_between(FlowOpening::Kind::pressure, 6, 1, 1500);
  EXPECT_NEAR(pipe.out, 1, 0.025);
  EXPECT_NEAR(pipe.in / pipe.out, 1, 0.01);
  EXPECT_NEAR(pipe.slope, 1, 0.04);
}

TEST(BloodOpening, WindkesselsFollowTheirEquation) {
  const Pipe pipe{4, 14};
  Model model;
  model.density_unit = 1;
  model.tau = 0.8;
  const double largest = 0.01, flow = std::numbers::pi * 16 * largest / 2;
  FlowOpening bed = pipe.opening(FlowOpening::Kind::windkessel, 0, true);
  bed.proximal = 2e-3;  // four times the impedance of a wave there
  bed.distal = 8e-3;
  bed.compliance = 150 / bed.distal;
  model.openings = {pipe.opening(FlowOpening::Kind::flow, flow, false), bed};
  SmallVessel<double> vessel(model, {.cells = pipe.cells()}, pipe.vessel(model.openings), {},
                             Cells::active);
  double stored = 0;
  for (int n = 0; n < 600; ++n) {
    vessel.run(1);
    const auto& now = vessel.step.flows[1];
    stored += (now.out.value() - stored / bed.distal) / bed.compliance;  // within dt / (R C)
    ASSERT_NEAR(now.stored.value(), stored, 0.01 * flow * bed.distal) << n;
  }
  vessel.run(1400);
  vessel.sum_up();
  const auto& now = vessel.step.flows[1];
  EXPECT_NEAR(now.stored.value(), bed.distal * now.out.value(), 1e-3 * bed.distal * flow);
  EXPECT_NEAR(now.held.value(), (bed.proximal + bed.distal) * now.out.value(),
              1e-3 * bed.distal * flow);
  EXPECT_NEAR(3 * now.held.value(), now.excess.value() / static_cast<double>(now.cells), 6e-4);
  EXPECT_NEAR(now.out.value() / flow, 1, 0.06);  // of denser fluid
}

/// A jet of radius 2 in a pipe of radius 6, whose cells are coarse for it: Re 500.
struct Jet {
  double largest = 0;   ///< speed anywhere, over that of the jet at the inlet; NaN: it blew up
  double backflow = 0;  ///< the fastest that comes in at the outlet, likewise
};
Jet jet(Relaxation relaxation, double sponge) {
  constexpr double speed = 0.0737, viscosity = 2.946e-4;
  Model model;
  model.density_unit = 1;
  model.tau = 0.5 + 3 * viscosity;
  model.magic = 1.22e-4;
  model.relaxation = relaxation;
  const auto opening = [](FlowOpening::Kind kind, double x, double radius) {
    FlowOpening here;
    here.name = x > 10 ? "outlet" : "inlet";
    here.center = {x, 7.1, 7.2};
    here.normal = {x > 10 ? 1.0 : -1.0, 0, 0};
    here.radius = radius;
    here.kind = kind;
    return here;
  };
  model.openings = {opening(FlowOpening::Kind::velocity, 1, 2),
                    opening(FlowOpening::Kind::pressure, 40, 6)};
  model.openings[0].value = *parse_time_value("0.0737 * (1 - exp(-0.00267 * t))", "").value;
  model.openings[1].sponge = sponge;
  const CellPlace place{{0, 0, 0}, 1, {42, 15, 15}};
  const std::vector<VesselSegment> segments = {{{-5, 7.1, 7.2}, {7, 7.1, 7.2}, 2, 2},
                                               {{7, 7.1, 7.2}, {45, 7.1, 7.2}, 6, 6, true}};
  const std::vector<Opening> discs(model.openings.begin(), model.openings.end());
  const auto vessel = std::make_shared<Vessel>(
      make_vessel(cells_of(segments, place), *wall_of(segments, place), place, discs));
  SmallVessel<double> running(model, {.cells = place.cells}, vessel, {}, Cells::active);
  running.run(2000);
  running.observe();
  const auto u = running.step.velocity.active_values();
  const auto opening_of = running.step.opening.active_values();
  Jet found;
  for (std::size_t n = 0; n < opening_of.size(); ++n) {
    const double square = u[n] * u[n] + std::pow(u[opening_of.size() + n], 2);
    found.largest = std::isfinite(square) ? std::max(found.largest, std::sqrt(square) / speed)
                                          : std::numeric_limits<double>::quiet_NaN();
    if (std::isnan(found.largest)) break;
    if (opening_of[n] == 2) found.backflow = std::max(found.backflow, -u[n] / speed);
  }
  return found;
}

TEST(BloodOpening, JetsInCoarseCells_AreStableRegularized_AndDieOutInASponge) {
  EXPECT_FALSE(jet(Relaxation::two_rates, 12).largest < 2);
  const Jet open = jet(Relaxation::regularized, 0), damped = jet(Relaxation::regularized, 12);
  EXPECT_LT(open.largest, 1.1);
  EXPECT_LT(damped.largest, 1.1);
  EXPECT_GT(open.backflow, 0.02);
  EXPECT_LT(damped.backflow, 1e-3);
}

}  // namespace
}  // namespace goban::blood::blood_opening_test
