#include "goban/stencil/graph/trace.hpp"

#include <gtest/gtest.h>

#include <vector>

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

TEST(Trace, FindsOffsetsAndFlops) {
  const auto f = trace<In<float>, Out<float>>(Diffuse{0.1f});
  EXPECT_EQ(f.read_count, 7);
  EXPECT_EQ(f.flops, 9);
  EXPECT_EQ(f.integer_operations, 0);
  EXPECT_EQ(f.paths, 1);
  EXPECT_FALSE(f.branching);
  EXPECT_EQ(f.error, TraceError::none);
  ASSERT_EQ(f.output_count, 1);
  EXPECT_EQ(f.outputs[0], (Output{1, 0, 1, 1}));
  for (int n : {-1, 1}) {
    EXPECT_TRUE(reads(f, {0, 0, {n, 0, 0}}));
    EXPECT_TRUE(reads(f, {0, 0, {0, n, 0}}));
    EXPECT_TRUE(reads(f, {0, 0, {0, 0, n}}));
  }
  EXPECT_TRUE(reads(f, {0, 0, {0, 0, 0}}));
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
  const auto f = trace<In<std::uint8_t>, Out<std::uint8_t>>(CountNeighbours{});
  EXPECT_EQ(f.read_count, 27);
  EXPECT_EQ(f.integer_operations, 27);
  EXPECT_EQ(f.flops, 0);
  EXPECT_FALSE(f.branching);
}

struct Components {
  GOBAN_FUNCTION void operator()(auto f, auto g, auto out) const {
    unroll<3>([&](auto c) { out[c] = f[c](c, 0, 0) * g.template shift<Axis::y>(-2)(0, 0, 1); });
  }
};

TEST(Trace, TellsComponentsAndParametersApart) {
  const auto f = trace<In<double, 3>, In<float>, Out<half, 3>>(Components{});
  EXPECT_EQ(f.read_count, 4);
  EXPECT_EQ(f.output_count, 3);
  EXPECT_EQ(f.flops, 3);
  EXPECT_EQ(f.error, TraceError::none);
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
  const auto f = trace<SiteParameter, ValueParameter<double>, In<float>, InOut<double>, Out<float>>(
      Everything{});
  EXPECT_EQ(f.error, TraceError::none);
  EXPECT_FALSE(f.branching);
  // w: 2 position, 1 sum, dt * sqrt(): 2, * random 1, += 1; v: fma 2, min 1, three sums.
  EXPECT_EQ(f.flops, 7 + 6);
  EXPECT_EQ(f.special_functions, 3);
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
  const auto f = trace<In<float>, Out<float>>(Limit{});
  EXPECT_TRUE(f.branching);
  EXPECT_EQ(f.paths, 3);
  EXPECT_EQ(f.flops, 2);
  EXPECT_EQ(f.error, TraceError::none);
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
  const auto f = trace<SiteParameter, ValueParameter<int>, In<float>, Out<float>>(Alternate{});
  EXPECT_EQ(f.paths, 2);
  EXPECT_EQ(f.read_count, 2);
  EXPECT_FALSE(f.branching);
}

struct AssignsTwiceOnAPath {
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    v[1] = u();
    v[0] = 1;
    if (u() > 0) v[0] = 2;
  }
};

TEST(Trace, FindsAnOutputAssignedTwiceOnSomePath) {
  const auto f = trace<In<float>, Out<float, 2>>(AssignsTwiceOnAPath{});
  EXPECT_EQ(f.error, TraceError::assigned_twice);
  EXPECT_EQ(f.error_output, (Output{1, 0, 1, 2}));
}

struct ForgetsAPath {
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    if (u() > 0) v = 2;
  }
};

TEST(Trace, FindsAnOutputNotAssignedOnSomePath) {
  const auto f = trace<In<float>, Out<float>>(ForgetsAPath{});
  EXPECT_EQ(f.error, TraceError::unassigned_output);
  EXPECT_EQ(f.error_output, (Output{1, 0, 0, 1}));
}

TEST(Trace, TakesAnInoutNotAssignedOnSomePathAsRead) {
  const auto f = trace<In<float>, InOut<float>>(ForgetsAPath{});
  EXPECT_EQ(f.error, TraceError::none);
  EXPECT_EQ(f.read_count, 2);
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

TEST(Trace, FollowsTheMembersOfTheObject) {
  EXPECT_EQ((trace<In<float>, Out<float>>(RunTimeReach{}).read_count), 3);
  EXPECT_EQ((trace<In<float>, Out<float>>(RunTimeReach{4}).read_count), 5);
  const std::vector<int> offsets = {1, -2, 5};
  const auto add = [&offsets](auto u, auto v) {
    auto sum = u();
    for (const int n : offsets) sum += u(0, n, 0);
    v = sum;
  };
  const auto f = trace<In<float>, Out<float>>(add);
  EXPECT_EQ(f.read_count, 4);
  EXPECT_TRUE(reads(f, {0, 0, {0, 5, 0}}));
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
