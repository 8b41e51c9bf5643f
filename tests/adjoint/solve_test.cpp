// Steps that solve: the adjoint of a solve is the solve with the transposed operator.

#include <gmock/gmock.h>

#include <bit>
#include <functional>
#include <string>
#include <vector>

#include "goban/cases/poisson_keys.hpp"
#include "goban/field/face_fields.hpp"
#include "goban/solver/fourier.hpp"
#include "goban/solver/krylov.hpp"
#include "goban/solver/multigrid.hpp"
#include "goban/solver/poisson_solver.hpp"
#include "tests/adjoint/transposed.hpp"
#include "tests/error_text.hpp"

namespace goban::solve_of_adjoint_test {
namespace {

using test::Fields;
using testing::HasSubstr;

struct Source {  // rough, and of the second degree
  GOBAN_FUNCTION void operator()(auto u, auto k, auto b) const {
    b = k() * (u() * u(1, 0, 0) - 0.3 * u(0, -1, 0) + 0.5 * u());
  }
};
struct Carry {
  GOBAN_FUNCTION void operator()(auto v, auto u, auto next) const {
    next = 0.8 * u() + 0.5 * (v(1, 0, 0) - v()) * u(0, 0, 1) + 0.2 * (v() - v(0, -1, 0));
  }
};
struct Conduct {  // of lower faces
  GOBAN_FUNCTION void operator()(auto c, auto x, auto y, auto z) const {
    const auto between = [](auto a, auto b) { return 1.0 + a * a + b * b; };
    x = between(c(), c(-1, 0, 0));
    y = between(c(), c(0, -1, 0));
    z = between(c(), c(0, 0, -1));
  }
};
/// u - div(c grad u), c in cells; symmetric.
struct Spread {
  GOBAN_FUNCTION auto operator()(auto u, auto c) const {
    const auto flow = [&](int i, int j, int k) {
      return (1.2 + c() + c(i, j, k)) * (u(i, j, k) - u());
    };
    return u() - 0.3 * (flow(1, 0, 0) + flow(-1, 0, 0) + flow(0, 1, 0) + flow(0, -1, 0) +
                        flow(0, 0, 1) + flow(0, 0, -1));
  }
};
struct CarryAndSpread {  // not symmetric
  Spread spread{};
  GOBAN_FUNCTION auto operator()(auto u, auto c) const {
    return spread(u, c) + 0.4 * (1.0 + c()) * (u() - u(-1, 0, 0)) + 0.2 * (u(0, 1, 0) - u());
  }
};
struct Laplacian {
  GOBAN_FUNCTION auto operator()(auto u) const { return laplacian<2>(u); }
};

/// Linear in u and v, of which it has no constant.
struct Differences {
  GOBAN_FUNCTION auto operator()(auto u, auto v, auto weight) const {
    return weight() * u() + weight(0, 1, 0) * (v(1, 0, 0) - v());
  }
};
struct Misfit {
  GOBAN_FUNCTION auto operator()(auto u, auto v) const {
    const auto slope = v(1, 0, 0) - v();
    return u() * u() + 0.5 * slope * slope;
  }
};

BoundarySet mixed() {
  BoundarySet sides{mirror, wall_value(0.5), periodic};
  sides.at(Axis::x, Side::high) = wall_value(-1);
  sides.at(Axis::y, Side::low) = gradient(0.25);
  return sides;
}

/// A step that makes b of u, solves for v, and makes u of v.
struct Problem {
  using AddSolve = std::function<void(Problem&)>;

  Runtime runtime;
  Grid grid;
  Fields f;
  Field<double> b, inverse;
  std::vector<Field<double>> conductances;
  Parameter<double> total{"total"};
  Program step{"step"}, objective{"objective"};

  Problem(const AddSolve& add_solve, const BoundarySet& boundary,
          const Settings& settings = test::plain_schedule())
      : runtime(settings),
        grid(runtime, {.cells = {8, 6, 4}, .boundary = boundary}),
        f(grid),
        b(grid, "b"),
        inverse(grid, "inverse") {
    inverse.fill(0.2);
    b.fill(0);
    step.apply(Source{}, in(f.u), param(f.k), out(b));
    add_solve(*this);
    step.apply(Carry{}, in(f.v), in(f.u), out(f.next));
    step.swap(f.u, f.next);
    objective.reduce(Misfit{}, in(f.u), in(f.v), sum, into(total));
  }

  /// Conductances are made of f.c in each step.
  void conduct() {
    BoundarySet closed = grid.state()->boundary;
    for (auto& axis : closed.sides) {
      if (axis[0].kind != periodic_kind) axis = {mirror, mirror};
    }
    conductances =
        face_fields<double>(grid, "conductance_", all_axes, [&](Axis) { return closed; });
    for (auto& one : conductances) one.fill(1);
    step.apply(Conduct{}, in(f.c), out(conductances[0]), out(conductances[1]),
               out(conductances[2]));
  }
};

constexpr MultigridOptions deep{.coarsest = 2};

struct Solver {
  std::string name;
  Problem::AddSolve add;
  bool depends_on_c = false;
};

std::vector<Solver> solvers() {
  return {
      {"multigrid",
       [](Problem& p) { Multigrid<double>(p.f.v, p.b, deep).add_solve(p.step, 1e-13, 60, 1e-13); }},
      {"multigrid with conductances",
       [](Problem& p) {
         p.conduct();
         const Multigrid<double> multigrid(p.f.v, p.b, p.conductances[0], p.conductances[1],
                                           p.conductances[2], deep);
         multigrid.add_setup(p.step);
         multigrid.add_solve(p.step, 1e-13, 60, 1e-13);
       },
       true},
      {"Fourier",
       [](Problem& p) {  // the transforms of a device have other last bits
         Fourier<double>(p.f.v, p.b, {.transforms = FourierTransforms::host}).add_solve(p.step);
       }},
      {"conjugate gradients",
       [](Problem& p) {
         ConjugateGradients(p.f.v, p.b, p.inverse, Spread{}, p.f.c).add_solve(p.step, 1e-15, 400);
       },
       true},
      {"BiCGStab",
       [](Problem& p) {
         BiCgStab(p.f.v, p.b, CarryAndSpread{}, p.f.c).add_solve(p.step, 1e-15, 400);
       },
       true},
  };
}

void expect_transposed(Problem& p, const std::vector<GradientOf>& of, const std::string& what) {
  Field<double> weights(p.grid, "weights");
  weights.fill([](Index3 i) { return Fields::value(i, 9); });
  test::expect_transposed(p.grid, p.step, of, what, 1e-10, Differences{}, weights, p.f.u, p.f.v);
}

class Solves : public testing::TestWithParam<int> {
 protected:
  Solver solver() const { return solvers()[static_cast<std::size_t>(GetParam())]; }
  std::vector<GradientOf> given(const Problem& p) const {
    std::vector<GradientOf> all{p.f.u, p.f.k};
    if (solver().depends_on_c) all.emplace_back(p.f.c);
    return all;
  }
};

TEST_P(Solves, HaveAdjointsThatAreTransposedTangents) {
  for (const BoundarySet& boundary : {mixed(), BoundarySet(mirror), BoundarySet(periodic)}) {
    Problem p(solver().add, boundary);
    expect_transposed(p, given(p), solver().name);
  }
}

TEST_P(Solves, HaveGradientsThatLeaveARestOfSecondOrder) {
  Problem p(solver().add, mixed());
  test::expect_rest_of_second_order(p.grid, p.step, p.objective, given(p), 1e-2, 1e-9,
                                    solver().name);
}

TEST_P(Solves, HaveTheSameBitsOnAnyCut) {
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"4,4", "", ""}};
  product.backends = {Backend::cpu};
  test::expect_same_bits(
      [&](const Settings& settings) {
        Problem p(solver().add, mixed(), settings);
        Adjoint adjoint(p.step, p.objective, given(p));
        const double value = adjoint.evaluate(1, {1});
        test::Results results{{"value", std::bit_cast<std::uint64_t>(value)},
                              {"u", adjoint.gradient(p.f.u).checksum()},
                              {"k", std::bit_cast<std::uint64_t>(adjoint.gradient(p.f.k))}};
        if (solver().depends_on_c) results["c"] = adjoint.gradient(p.f.c).checksum();
        return results;
      },
      product.all());
}

/// What solves for adjoints read of a step outlives the steps behind it, or is there again.
TEST_P(Solves, HaveTheSameBitsHoweverManyStepsAreKept) {
  Problem p(solver().add, mixed());
  Adjoint adjoint(p.step, p.objective, given(p));
  const double value = adjoint.evaluate(3);
  const auto u = adjoint.gradient(p.f.u).copy_out();
  EXPECT_EQ(adjoint.steps_computed(), 3);
  EXPECT_EQ(adjoint.evaluate(3, {1}), value);
  EXPECT_EQ(adjoint.gradient(p.f.u).copy_out(), u);
  EXPECT_EQ(adjoint.steps_computed(), 6);
}

INSTANTIATE_TEST_SUITE_P(Every, Solves, testing::Range(0, static_cast<int>(solvers().size())));

/// A scale of the tolerance is a number of the step, which no derivative depends on.
TEST(SolvesOfAdjoint, AreThoseThatACaseChooses) {
  const auto add = [&](Problem& p) {
    const Parameter<double> scale("scale");
    p.step.reduce([](auto b) { return abs(b()); }, in(p.b), maximum, into(scale));
    const PoissonMethod method{
        .solver = PoissonMethod::Solver::multigrid, .tolerance = 1e-13, .limit = 10000};
    make_poisson_solver(method, p.f.v, p.b, {})->add_solve(p.step, scale);
  };
  Problem p(add, wall_value(0.3));
  expect_transposed(p, {p.f.u, p.f.k}, "chosen");
}

/// Names that a step exchanges before it solves stand for others where it is solved again.
TEST(SolvesOfAdjoint, SeeNamesAsTheyAre) {
  const auto add = [](Problem& p) {
    p.step.apply(test::Copy{}, in(p.f.v), out(p.f.v_next));
    p.step.swap(p.f.v, p.f.v_next);
    Multigrid<double>(p.f.v, p.b, deep).add_solve(p.step, 1e-13, 60, 1e-13);
  };
  Problem p(add, mixed());
  expect_transposed(p, {p.f.u, p.f.k}, "swapped");
}

/// A residual field that a preconditioner has belongs to the step: what is read of it is kept.
TEST(SolvesOfAdjoint, ArePreconditioned) {
  const auto add = [](Problem& p) {
    const Multigrid<double> multigrid(p.f.v_next, p.b, deep);
    FlexibleConjugateGradients(p.f.v, multigrid.preconditioner(), Laplacian{})
        .add_solve(p.step, 1e-15, 60);
  };
  BoundarySet walls{wall_value(0), mirror, periodic};
  Problem p(add, walls);
  expect_transposed(p, {p.f.u, p.f.k}, "preconditioned");
}

TEST(SolvesOfAdjoint, AreRefusedWhereTheirCoefficientsAreOverwritten) {
  const auto add = [](Problem& p) {
    ConjugateGradients(p.f.v, p.b, p.inverse, Spread{}, p.f.c).add_solve(p.step, 1e-12, 400);
    p.step.apply(test::Copy{}, in(p.f.v), out(p.f.c));
  };
  Problem p(add, mixed());
  EXPECT_EQ(test::error_of([&] { Adjoint(p.step, p.objective, {p.f.u}); }),
            "no derivatives of 'conjugate gradients of v' (the step writes 'c', which it reads, "
            "once more behind it); use another one there");
}

}  // namespace
}  // namespace goban::solve_of_adjoint_test
