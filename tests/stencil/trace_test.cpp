#include "goban/stencil/graph/trace.hpp"

#include <gtest/gtest.h>

#include "goban/stencil/unroll.hpp"

namespace goban::trace_test {
namespace {

template <class T, int C = 1>
using In = FieldParameter<Access::in, T, C>;
template <class T, int C = 1>
using Out = FieldParameter<Access::out, T, C>;
template <class T, int C = 1>
using InOut = FieldParameter<Access::inout, T, C>;

bool reads(const StaticFootprint& f, const Read& r) {
  for (int i = 0; i < f.read_count; ++i) {
    if (f.read(i) == r) return true;
  }
  return false;
}

struct Diffuse {
  float r;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + r * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                      u(0, 0, -1) - 6.0f * u());
  }
};

TEST(Trace, FindsOffsetsAndFlopsInAConstantExpression) {
  static_assert(has_constant_footprint<Diffuse, In<float>, Out<float>>);
  constexpr const StaticFootprint& f = constant_footprint<Diffuse, In<float>, Out<float>>;
  static_assert(f.read_count == 7 && f.flops == 9 && f.integer_operations == 0);
  static_assert(f.paths == 1 && !f.branching && f.error == TraceError::none);
  static_assert(!is_branching<Diffuse, In<float>, Out<float>>);
  static_assert(f.output_count == 1);
  static_assert(f.outputs[0] == Output{1, 0, 1, 1});
  for (int n : {-1, 1}) {
    EXPECT_TRUE(reads(f, {0, 0, {n, 0, 0}}));
    EXPECT_TRUE(reads(f, {0, 0, {0, n, 0}}));
    EXPECT_TRUE(reads(f, {0, 0, {0, 0, n}}));
  }
  EXPECT_TRUE(reads(f, {0, 0, {0, 0, 0}}));
}

TEST(Trace, OfAnObjectIsThatOfItsType) {
  const auto f = trace<In<float>, Out<float>>(Diffuse{0.1f});
  const auto& of_type = constant_footprint<Diffuse, In<float>, Out<float>>;
  EXPECT_EQ(f.read_count, of_type.read_count);
  for (int i = 0; i < f.read_count; ++i) EXPECT_EQ(f.read(i), of_type.read(i));
}

struct CountNeighbours {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    auto sum = -u();
    unroll<3>([&](auto i) {
      unroll<3>([&](auto j) { unroll<3>([&](auto k) { sum += u(i - 1, j - 1, k - 1); }); });
    });
    next = select(sum == 5 || (u() == 1 && sum >= 2 && sum <= 7), 1, 0);
  }
};

TEST(Trace, SeesAllCornersAndIntegerOperations) {
  constexpr auto f = constant_footprint<CountNeighbours, In<std::uint8_t>, Out<std::uint8_t>>;
  static_assert(f.read_count == 27 && f.integer_operations == 27 && f.flops == 0);
  static_assert(!f.branching);
}

struct Components {
  GOBAN_FUNCTION void operator()(auto f, auto g, auto out) const {
    unroll<3>([&](auto c) { out[c] = f[c](c, 0, 0) * g.template shift<Axis::y>(-2)(0, 0, 1); });
  }
};

TEST(Trace, TellsComponentsAndParametersApart) {
  constexpr auto f = constant_footprint<Components, In<double, 3>, In<float>, Out<half, 3>>;
  static_assert(f.read_count == 4 && f.output_count == 3 && f.flops == 3);
  static_assert(f.error == TraceError::none);
  for (int c = 0; c < 3; ++c) EXPECT_TRUE(reads(f, {0, c, {c, 0, 0}}));
  EXPECT_TRUE(reads(f, {1, 0, {0, -2, 1}}));
}

struct Everything {
  GOBAN_FUNCTION void operator()(auto site, auto dt, auto u, auto w, auto v) const {
    const auto x = site.position(Axis::x) + convert<double>(site.index(Axis::y));
    w += dt() * sqrt(abs(x)) * site.template random<float>(1);
    v = fma(u(), 2, exp(u())) + pow(u(), 2) + min(u(), 1) + sin(site.time()) * dt();
  }
};

TEST(Trace, CountsWhatDiffersBetweenCells) {
  constexpr auto f = constant_footprint<Everything, SiteParameter, ValueParameter<double>,
                                        In<float>, InOut<double>, Out<float>>;
  static_assert(f.error == TraceError::none && !f.branching);
  // w: 2 position, 1 sum, dt * sqrt(): 2, * random 1, += 1; v: fma 2, min 1, three sums.
  static_assert(f.flops == 7 + 6);
  static_assert(f.special_functions == 3);
  EXPECT_TRUE(reads(f, {3, 0, {0, 0, 0}})) << "an inout that is updated is read";
  EXPECT_EQ(f.read_count, 2);
}

struct Limit {
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    if (u() > 0.5f) {
      v = u(1, 0, 0) * u(2, 0, 0) + 1;
    } else if (u(0, 1, 0) > 0.5f && u(0, 2, 0) < 1) {
      v = u(0, 0, 1);
    } else {
      v = 0;
    }
  }
};

TEST(Trace, TakesEveryPathThroughBranches) {
  constexpr auto f = constant_footprint<Limit, In<float>, Out<float>>;
  static_assert(f.branching && f.paths == 3 && f.flops == 2 && f.error == TraceError::none);
  static_assert(is_branching<Limit, In<float>, Out<float>>);
  EXPECT_EQ(f.read_count, 6);
}

struct Alternate {
  GOBAN_FUNCTION void operator()(auto site, auto switched, auto u, auto v) const {
    if (site.step() % 2 == 0 && switched() > 0) {
      v = u(1, 0, 0);
    } else {
      v = u(-1, 0, 0);
    }
  }
};

TEST(Trace, TakesBothOutcomesOfConditionsOnParametersWithoutCallingThemBranches) {
  constexpr auto f =
      constant_footprint<Alternate, SiteParameter, ValueParameter<int>, In<float>, Out<float>>;
  static_assert(f.paths == 2 && f.read_count == 2 && !f.branching);
}

struct AssignsTwiceOnAPath {
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    v[1] = u();
    v[0] = 1;
    if (u() > 0) v[0] = 2;
  }
};

TEST(Trace, FindsAnOutputAssignedTwiceOnSomePath) {
  constexpr auto f = constant_footprint<AssignsTwiceOnAPath, In<float>, Out<float, 2>>;
  static_assert(f.error == TraceError::assigned_twice);
  static_assert(f.error_output == Output{1, 0, 1, 2});
}

struct ForgetsAPath {
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    if (u() > 0) v = 2;
  }
};

TEST(Trace, FindsAnOutputNotAssignedOnSomePath) {
  constexpr auto f = constant_footprint<ForgetsAPath, In<float>, Out<float>>;
  static_assert(f.error == TraceError::unassigned_output);
  static_assert(f.error_output == Output{1, 0, 0, 1});
}

TEST(Trace, TakesAnInoutNotAssignedOnSomePathAsRead) {
  constexpr auto f = constant_footprint<ForgetsAPath, In<float>, InOut<float>>;
  static_assert(f.error == TraceError::none && f.read_count == 2);
}

struct ManyBranches {
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    auto sum = u();
    unroll<13>([&](auto i) {
      if (u(i, 0, 0) > 0) sum += 1;
    });
    v = sum;
  }
};
struct EndlessLoop {
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    auto x = u();
    for (;;) {
      x *= 0.5f;
      if (x < 1) break;
    }
    v = x;
  }
};

TEST(Trace, GivesUpOnTooManyPaths) {
  EXPECT_EQ((trace<In<float>, Out<float>>(ManyBranches{}).error), TraceError::too_many_paths);
  EXPECT_EQ((trace<In<float>, Out<float>>(EndlessLoop{}).error), TraceError::too_many_paths);
}

struct FarAway {
  GOBAN_FUNCTION void operator()(auto u, auto v) const { v = u(5000, 0, 0); }
};
struct ManyReads {
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    auto sum = u();
    for (int i = 0; i < 40; ++i) {
      for (int j = 0; j < 40; ++j) sum += u(i, j, 0);
    }
    v = sum;
  }
};

TEST(Trace, TellsWhatDoesNotFit) {
  EXPECT_EQ((trace<In<float>, Out<float>>(FarAway{}).error), TraceError::offset_too_far);
  EXPECT_EQ((trace<In<float>, Out<float>>(ManyReads{}).error), TraceError::too_many_reads);
  const auto writes_all = [](auto u, auto v) { unroll<200>([&](auto c) { v[c] = u(); }); };
  EXPECT_EQ((trace<In<float>, Out<float, 200>>(writes_all).error), TraceError::too_many_outputs);
}

struct RunTimeReach {
  int reach = 2;
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    auto sum = u();
    for (int i = 1; i <= reach; ++i) sum += u(i, 0, 0);
    v = sum;
  }
};

TEST(Trace, OfATypeUsesTheDefaultsOfItsMembers) {
  static_assert(constant_footprint<RunTimeReach, In<float>, Out<float>>.read_count == 3);
  EXPECT_EQ((trace<In<float>, Out<float>>(RunTimeReach{4}).read_count), 5);
}

TEST(Trace, OfACapturingLambdaTakesItsMembersAsZero) {
  const float r = 0.5f;
  const auto scale = [r](auto u, auto v) { v = r * u(1, 0, 0); };
  static_assert(has_constant_footprint<decltype(scale), In<float>, Out<float>>);
  static_assert(constant_footprint<decltype(scale), In<float>, Out<float>>.read_count == 1);
}

struct NotConstant {
  double* table;
  void operator()(auto u, auto v) const { v = u() * table[0]; }
};

TEST(Trace, KnowsWhenATypeCannotBeTraced) {
  static_assert(!has_constant_footprint<NotConstant, In<double>, Out<double>>);
  static_assert(is_branching<NotConstant, In<double>, Out<double>>);
  static_assert(!has_constant_footprint<Diffuse, In<float>>);
}

struct DeclaresBranches {
  static constexpr bool branches = true;
  GOBAN_FUNCTION void operator()(auto u, auto v) const { v = u(); }
};

TEST(Trace, BelievesADeclarationOfBranches) {
  static_assert(is_branching<DeclaresBranches, In<float>, Out<float>>);
}

TEST(Trace, AcceptsFunctorsThatReturnAValue) {
  const auto square = [](auto u) { return u() * u(); };
  const auto f = trace<In<float>>(square);
  EXPECT_EQ(f.read_count, 1);
  EXPECT_EQ(f.flops, 1);
  EXPECT_EQ(f.output_count, 0);
}

TEST(CallableWith, ComparesTheNumberOfParameters) {
  static_assert(CallableWith<Diffuse, In<float>, Out<float>>);
  static_assert(!CallableWith<Diffuse, In<float>>);
  static_assert(!CallableWith<Diffuse, In<float>, Out<float>, SiteParameter>);
}

}  // namespace
}  // namespace goban::trace_test
