// Gradients of flows: the adjoint of a step, projection and walls included, is its transposed
// tangent.

#include <string>
#include <vector>

#include "tests/adjoint/transposed.hpp"
#include "tests/apps/flow_run.hpp"

namespace goban::flow::flow_gradient_test {
namespace {

/// Linear in velocities, at other places for each of them.
struct SumOfFaces {
  GOBAN_FUNCTION auto operator()(auto u, auto v, auto weight) const {
    return weight() * u() + 0.7 * weight(0, 1, 0) * v(1, 0, 0);
  }
};
struct Energy {
  GOBAN_FUNCTION auto operator()(auto u, auto v) const { return u() * u() + v() * v(); }
};

struct FlowCase {
  std::string name;
  Sides<Edge> edges{};
  PoissonMethod::Solver solver = PoissonMethod::Solver::fourier;
  TimeScheme scheme = TimeScheme::rk3;
  double tolerance = 1e-13;
};

Model model_of(const FlowCase& box) {
  Model model = plane_model(0.02);
  model.edges = box.edges;
  model.wall_velocity[0] = TimeValue(0.7);
  model.scheme = box.scheme;
  model.dt = 0.02;
  model.pressure = {.solver = box.solver, .tolerance = 1e-14};
  return model;
}

std::vector<FlowCase> boxes() {
  const Ends lid{Edge::wall, Edge::moving};
  return {{"periodic", {open, open, open}},
          {"walls and slip", {walls, slips, open}},
          {"a lid", {walls, lid, open}, PoissonMethod::Solver::fourier, TimeScheme::ab2},
          {"a lid, multigrid",
           {walls, lid, open},
           PoissonMethod::Solver::multigrid,
           TimeScheme::rk3,
           1e-10}};
}

struct Flow {
  Runtime runtime;
  Grid grid;
  FlowStep<2, double> step;
  Field<double> weights;

  explicit Flow(const Model& model, const Settings& settings = one_thread())
      : runtime(settings),
        grid(runtime, options(model)),
        step(grid, model),
        weights(grid, "weights") {
    int seed = 0;
    for (Field<double>* one : {&step.faces[0], &step.faces[1], &weights}) {
      one->fill([seed](Index3 i) { return test::Fields::value(i, seed); });
      ++seed;
    }
  }
  std::vector<GradientOf> given() const { return {step.faces[0], step.faces[1]}; }

 private:
  static GridOptions options(const Model& model) {
    GridOptions options = unit_box<2>(8);
    options.boundary = model.mirrors();
    return options;
  }
};

TEST(GradientsOfFlows, AreTransposedTangents) {
  for (const FlowCase& box : boxes()) {
    Flow flow(model_of(box));
    test::expect_transposed(flow.grid, flow.step.program(), flow.given(), box.name, box.tolerance,
                            SumOfFaces{}, flow.weights, flow.step.faces[0], flow.step.faces[1]);
  }
}

TEST(GradientsOfFlows, LeaveARestOfSecondOrder) {
  for (const FlowCase& box : boxes()) {
    Flow flow(model_of(box));
    Parameter<double> total("total");
    Program objective("objective");
    objective.reduce(Energy{}, in(flow.step.faces[0]), in(flow.step.faces[1]), sum, into(total));
    test::expect_rest_of_second_order(flow.grid, flow.step.program(), objective, flow.given(), 1e-2,
                                      1e-9, box.name);
  }
}

}  // namespace
}  // namespace goban::flow::flow_gradient_test
