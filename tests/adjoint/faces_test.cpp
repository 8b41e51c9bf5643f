// Fields on faces between walls: what lies beyond them mirrors values about the faces themselves,
// and faces of walls hold what their conditions say.

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "tests/adjoint/transposed.hpp"

namespace goban::faces_of_adjoint_test {
namespace {

using test::Fields;

struct Momentum {  // of both velocities, which read each other around corners
  GOBAN_FUNCTION void operator()(auto u, auto v, auto p, auto next_u, auto next_v) const {
    const auto across = 0.25 * (v() + v(-1, 0, 0) + v(0, 1, 0) + v(-1, 1, 0));
    next_u = u() - 0.1 * (u() * (u(1, 0, 0) - u(-1, 0, 0)) + across * (u(0, 1, 0) - u(0, -1, 0))) +
             0.05 * (u(0, 0, 1) - 2.0 * u() + u(0, 0, -1)) - 0.2 * (p() - p(-1, 0, 0));
    const auto along = 0.25 * (u() + u(1, 0, 0) + u(0, -1, 0) + u(1, -1, 0));
    next_v = v() - 0.1 * (along * (v(1, 0, 0) - v(-1, 0, 0)) + v() * (v(0, 1, 0) - v(0, -2, 0))) -
             0.2 * (p() - p(0, -1, 0));
  }
};
struct Pressure {
  GOBAN_FUNCTION void operator()(auto u, auto v, auto p) const {
    p = 0.9 * p() - 0.3 * (u(1, 0, 0) - u()) - 0.2 * v(0, 1, 0) * v() + 0.1 * u() * p();
  }
};
struct Gain {  // written and read on the faces alone
  GOBAN_FUNCTION void operator()(auto p, auto k, auto u, auto v) const {
    u = u() + k() * u() * p() - 0.1 * p(-1, 0, 0) * p();
    v = v() - k() * (p() - p(0, -1, 0));
  }
};
struct Enter {
  GOBAN_FUNCTION void operator()(auto k, auto p, auto u) const { u = 0.5 * u() + k() * k() + p(); }
};
struct Sum {
  GOBAN_FUNCTION auto operator()(auto u, auto v, auto p, auto weight) const {
    return weight() * u() + 0.3 * weight(1, 0, 0) * v(0, 1, 0) + 0.7 * weight(0, 1, 0) * p();
  }
};
struct Misfit {
  GOBAN_FUNCTION auto operator()(auto u, auto v, auto p) const {
    return u() * u() + 0.5 * v() * v(0, 1, 0) + p() * u(1, 0, 0);
  }
};

struct Flow {
  Runtime runtime;
  Grid grid;
  Field<double> u, v, next_u, next_v, p, weights;
  Parameter<double> k{"k", 0.3}, total{"total"};
  Program step{"step"}, objective{"objective"};

  Flow(const BoundarySet& of_u, const BoundarySet& of_v, const Settings& settings)
      : runtime(settings),
        grid(runtime, {.cells = {7, 6, 5}, .boundary = {mirror, mirror, of_u.sides[2][0]}}),
        u(grid, "u", {.location = Location::face_x, .boundary = &of_u}),
        v(grid, "v", {.location = Location::face_y, .boundary = &of_v}),
        next_u(u, "next_u"),
        next_v(v, "next_v"),
        p(grid, "p"),
        weights(grid, "weights") {
    int seed = 0;
    for (Field<double>* one : {&u, &v, &next_u, &next_v, &p, &weights}) {
      one->fill([seed](Index3 i) { return Fields::value(i, seed); });
      ++seed;
    }
    step.apply(Momentum{}, in(u), in(v), in(p), out(next_u), out(next_v));
    step.swap(u, next_u);
    step.swap(v, next_v);
    step.apply(Gain{}, in(p), param(k), inout(u), inout(v));
    const Box side{{0, 0, 0}, {1, 6, 5}};
    step.apply(Enter{}, param(k), in(p), inout(u)).over(side);
    step.apply(Pressure{}, in(u), in(v), inout(p));
    objective.reduce(Misfit{}, in(u), in(v), in(p), sum, into(total));
  }
  std::vector<GradientOf> given() const { return {u, v, p, k}; }
};

/// Conditions of both velocities.
std::vector<std::array<BoundarySet, 2>> walls() {
  BoundarySet of_u{mirror, wall_value(-0.3), mirror}, of_v{gradient(0.1), mirror, wall_value(0.4)};
  of_u.at(Axis::y, Side::high) = constant(0.1);
  of_v.at(Axis::x, Side::high) = constant(0.3);
  BoundarySet held_u{wall_value(-0.3), wall_value(0.2), mirror};
  BoundarySet held_v{wall_value(0), gradient(0.2), mirror};
  held_u.at(Axis::x, Side::high) = constant(0.4);
  held_v.at(Axis::y, Side::low) = wall_value(0.5);
  return {{of_u, of_v}, {held_u, held_v}};
}

TEST(FieldsOnFaces, HaveAdjointsThatAreTransposedTangents) {
  for (const auto& [of_u, of_v] : walls()) {
    Flow flow(of_u, of_v, test::plain_schedule());
    test::expect_transposed(flow.grid, flow.step, flow.given(), "walls", 1e-13, Sum{}, flow.weights,
                            flow.u, flow.v, flow.p);
  }
}

TEST(FieldsOnFaces, HaveGradientsThatLeaveARestOfSecondOrder) {
  for (const auto& [of_u, of_v] : walls()) {
    Flow flow(of_u, of_v, test::plain_schedule());
    test::expect_rest_of_second_order(flow.grid, flow.step, flow.objective, flow.given(), 1e-3,
                                      1e-11, "walls");
  }
}

TEST(FieldsOnFaces, HaveTheSameBitsOnAnyCut) {
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"4,3", "", "2,3"}};
  product.backends = {Backend::cpu, Backend::emulated};
  const auto [of_u, of_v] = walls().back();
  test::expect_same_bits(
      [&](const Settings& settings) {
        Flow flow(of_u, of_v, settings);
        Adjoint adjoint(flow.step, flow.objective, flow.given());
        const double value = adjoint.evaluate(3, {2});
        return test::Results{{"value", std::bit_cast<std::uint64_t>(value)},
                             {"u", adjoint.gradient(flow.u).checksum()},
                             {"v", adjoint.gradient(flow.v).checksum()},
                             {"p", adjoint.gradient(flow.p).checksum()}};
      },
      product.all());
}

}  // namespace
}  // namespace goban::faces_of_adjoint_test
