// Gradients of steps that sweep columns.

#include <gtest/gtest.h>

#include <bit>

#include "tests/adjoint/random_values.hpp"
#include "tests/adjoint/transposed.hpp"

namespace goban::columns_adjoint_test {
namespace {

using test::Fields;

/// A tridiagonal system whose coefficients depend on the fields.
struct Thomas {
  GOBAN_FUNCTION void forward(auto u, auto v, auto k, auto, auto s) const {
    const auto a = 0.3 * v(), b = 2.0 + u() * u();
    const auto m = 1 / (b - a * s[0].before());
    s[0] = k() * m;
    s[1] = (u() + v(1, 0, 0) * u(0, 0, -1) - a * s[1].before()) * m;
  }
  GOBAN_FUNCTION void backward(auto u, auto, auto, auto next, auto s) const {
    const auto solution = s[1]() - s[0]() * s[1].before();
    s[1] = solution;
    next = solution + 0.2 * u(0, 1, 0);
  }
};
/// What it holds of the level below is read on the way back, too.
struct Keeps {
  GOBAN_FUNCTION void forward(auto u, auto v, auto, auto s) const {
    s[0] = u() * v();
    s[1] = 0.4 * s[1].before() * s[0]() + u(0, -1, 0);
  }
  GOBAN_FUNCTION void backward(auto u, auto, auto next, auto s) const {
    next = s[0]() * s[1].before() + u() * s[1]();
  }
};
/// The way forth writes fields that the way back reads; whole numbers decide.
struct HandsOver {
  GOBAN_FUNCTION void forward(auto site, auto u, auto v, auto w, auto, auto count, auto s) const {
    const auto pull = select(site.index(Axis::x) % 3 == 0, 0.3, 0.5 * u());
    s = sin(u() + s.before() * pull);
    w = w() * s() + v();
    count += 1;
  }
  GOBAN_FUNCTION void backward(auto, auto u, auto, auto w, auto next, auto count, auto s) const {
    if (u() > 0.4) {
      s = s() + 0.5 * s.before() * w();
    } else {
      s = w() * w() + 0.1 * convert<double>(count() % 2);
    }
    next = s() * u();
  }
};
struct Rises {
  GOBAN_FUNCTION void forward(auto u, auto v, auto next, auto s) const {
    s = 0.5 * s.before() * v() + u();
    next = s() * s.before();
  }
};
struct Falls {
  GOBAN_FUNCTION void backward(auto u, auto v, auto s) const {
    s = 0.5 * s.before() + u(0, 0, 1);
    v = 0.3 * v() + s();
  }
};
struct Bend {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = u() + 0.1 * u(0, 1, 0) * u(); }
};

BoundarySet ends() {
  BoundarySet mixed{periodic, mirror, wall_value(0.3)};
  mixed.at(Axis::z, Side::high) = gradient(0.2);
  return mixed;
}

struct Columns {
  Runtime runtime;
  Grid grid;
  Fields f;
  Field<std::int32_t> count;
  Program step{"step"};

  explicit Columns(const Settings& settings = test::plainest())
      : runtime(settings),
        grid(runtime, {.cells = {7, 6, 5}, .boundary = ends()}),
        f(grid),
        count(grid, "count") {
    count.fill([](Index3 i) { return static_cast<std::int32_t>(i[0] + i[1] * i[2]); });
  }
  void expect_transposed(const std::string& what) {
    test::expect_transposed(grid, f, step, {f.u, f.v, f.next, f.v_next, f.k}, what);
  }
};

const std::vector<std::pair<std::string, std::function<void(Columns&, Axis)>>> kinds{
    {"Thomas",
     [](Columns& p, Axis axis) {
       p.step.columns(axis, Thomas{}, in(p.f.u), in(p.f.v), param(p.f.k), out(p.f.next),
                      scratch<double, 2>);
       p.step.swap(p.f.u, p.f.next);
     }},
    {"Keeps",
     [](Columns& p, Axis axis) {
       p.step.apply(Bend{}, in(p.f.v), out(p.f.v_next));
       p.step.columns(axis, Keeps{}, in(p.f.u), in(p.f.v_next), out(p.f.next), scratch<double, 2>);
       p.step.apply(Bend{}, in(p.f.next), out(p.f.u));
       p.step.apply(Bend{}, in(p.f.v_next), out(p.f.v));
       p.step.columns(axis, Thomas{}, in(p.f.u), in(p.f.next), param(p.f.k), out(p.f.v_next),
                      scratch<double, 2>);
       p.step.swap(p.f.v, p.f.v_next);
     }},
    {"HandsOver",
     [](Columns& p, Axis axis) {
       p.step.columns(axis, HandsOver{}, site, in(p.f.u), in(p.f.v), inout(p.f.v_next),
                      out(p.f.next), inout(p.count), scratch<double>);
       p.step.swap(p.f.u, p.f.next);
       p.step.swap(p.f.v, p.f.v_next);
     }},
    {"one way",
     [](Columns& p, Axis axis) {
       p.step.columns(axis, Rises{}, in(p.f.u), in(p.f.v), out(p.f.next), scratch<double>);
       p.step.columns(axis, Falls{}, in(p.f.next), inout(p.f.v), scratch<double>);
       p.step.swap(p.f.u, p.f.next);
     }},
    {"a part",
     [](Columns& p, Axis axis) {
       const Box part{{1, 2, 1}, {6, 5, 4}};
       p.step
           .columns(axis, Thomas{}, in(p.f.u), in(p.f.v), param(p.f.k), out(p.f.next),
                    scratch<double, 2>)
           .over(part);
       p.step.swap(p.f.u, p.f.next);
       p.step.columns(axis, Falls{}, in(p.f.u), inout(p.f.v), scratch<double>).over(part);
     }},
};

TEST(ColumnAdjoints, AreTransposedTangents) {
  for (const auto& [name, append] : kinds) {
    for (const Axis axis : {Axis::y, Axis::z}) {
      Columns p;
      append(p, axis);
      p.expect_transposed(name);
    }
  }
}

/// f(x + h p) = f(x) + h <gradient, p> + O(h^2).
TEST(ColumnAdjoints, LeaveARestOfSecondOrder) {
  for (const auto& [name, append] : kinds) {
    Columns p;
    append(p, Axis::z);
    Parameter<double> total("total");
    Program objective("objective");
    objective.reduce(test::WeightedSum{}, in(p.f.u), in(p.f.v), in(p.f.c), sum, into(total));
    Adjoint adjoint(p.step, objective, {p.f.u, p.f.k});
    const double value = adjoint.evaluate(2, {2}), k = p.f.k.value();
    const std::vector<double> at = p.f.u.copy_out();
    std::vector<double> change(at.size());
    double slope = 0.3 * adjoint.gradient(p.f.k);
    const auto gradient = adjoint.gradient(p.f.u).copy_out();
    for (std::size_t n = 0; n < at.size(); ++n) {
      change[n] = Fields::value({static_cast<Index>(n), 1, 2}, 77);
      slope += gradient[n] * change[n];
    }
    std::vector<double> rests;
    for (const double h : {1e-3, 1e-4}) {
      std::vector<double> moved = at;
      for (std::size_t n = 0; n < at.size(); ++n) moved[n] += h * change[n];
      p.f.u.copy_in(moved);
      p.f.k.set(k + 0.3 * h);
      rests.push_back(std::abs(adjoint.evaluate(2, {2}) - value - h * slope));
      p.f.k.set(k);
    }
    EXPECT_NE(slope, 0);
    EXPECT_LT(rests[1], 0.02 * rests[0] + 1e-11) << name << " " << testing::PrintToString(rests);
  }
}

TEST(ColumnAdjoints, HaveTheSameBitsOnAnyCut) {
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"4,3", "", ""}};
  product.backends = {Backend::cpu, Backend::emulated};
  for (const auto& [name, append] : kinds) {
    if (name != "Thomas" && name != "HandsOver" && name != "a part") continue;
    test::expect_same_bits(
        [&, &append = append](const Settings& settings) {
          Columns p(settings);
          append(p, Axis::z);
          Parameter<double> total("total");
          Program objective("objective");
          objective.reduce(test::WeightedSum{}, in(p.f.u), in(p.f.v), in(p.f.c), sum, into(total));
          Adjoint adjoint(p.step, objective, {p.f.u, p.f.k});
          const double value = adjoint.evaluate(2, {2});
          return test::Results{{"value", std::bit_cast<std::uint64_t>(value)},
                               {"u", adjoint.gradient(p.f.u).checksum()},
                               {"k", std::bit_cast<std::uint64_t>(adjoint.gradient(p.f.k))}};
        },
        product.all());
  }
}

/// Recurrences of random operations, both ways, at random neighbours.
struct RandomColumns {
  std::uint64_t seed = 0;

  void forward(auto u, auto v, auto w, auto next, auto s) const {
    test::RandomValues random(seed);
    test::Values values{u(), v(), w(), s[0].before(), s[1].before()};
    add_neighbors(random, values, u, v);
    random.grow(values, 6);
    s[0] = sin(random.sum(values));
    random.grow(values, 2);
    s[1] = tanh(random.sum(values));
    s[2] = values.back() * 0.1;
    if (seed % 2 == 0) w = sin(values.back() + s[0]());
    if (seed % 3 == 0) next = s[1]() * s[2]();
  }
  void backward(auto u, auto v, auto w, auto next, auto s) const {
    test::RandomValues random(seed + 1000);
    test::Values values{u(), w(), s[0](), s[1](), s[2](), s[0].before(), s[1].before()};
    add_neighbors(random, values, u, v);
    random.grow(values, 6);
    if (random.below(2) == 0 && values.all[0] > 0.3) {
      s[1] = sin(random.sum(values));
    } else {
      s[1] = 0.5 * tanh(random.sum(values));
    }
    random.grow(values, 2);
    if (seed % 5 == 0) s[0] = sin(values.back());
    if (seed % 2 == 1) w = sin(random.sum(values));
    if (seed % 3 != 0) next = sin(values.back() + s[1]());
  }

 private:
  static void add_neighbors(test::RandomValues& random, auto& values, auto u, auto v) {
    for (int n = 0; n < 2; ++n) {
      const int i = random.offset(), j = random.offset(), k = random.offset();
      values.add(random.below(2) > 0 ? u(i, j, k) : v(i, j, k));
    }
  }
};

TEST(RandomColumns, HaveAdjointsThatAreTransposedTangents) {
  constexpr std::uint64_t programs = 14;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    Columns p;
    const auto add = [&](std::uint64_t functor, const Field<double>& u, const Field<double>& v,
                         const Field<double>& w, const Field<double>& next) {
      auto stage = p.step.columns(seed % 2 == 0 ? Axis::y : Axis::z, RandomColumns{functor}, in(u),
                                  in(v), inout(w), out(next), scratch<double, 3>);
      if (functor % 7 == 0) stage.over({{1, 0, 0}, {6, 6, 4}});
    };
    add(seed, p.f.u, p.f.v, p.f.v_next, p.f.next);
    p.step.swap(p.f.v, p.f.v_next);
    add(seed + 50, p.f.next, p.f.u, p.f.v, p.f.v_next);
    p.step.swap(p.f.u, p.f.next);
    p.expect_transposed("seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace goban::columns_adjoint_test
