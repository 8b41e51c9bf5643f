#include "goban/stencil/graph/footprint.hpp"

#include <gtest/gtest.h>

#include "goban/base/error.hpp"
#include "goban/stencil/graph/trace.hpp"
#include "goban/stencil/unroll.hpp"

namespace goban::footprint_test {
namespace {

using testing::Test;

template <class T, int C = 1>
using In = FieldParameter<Access::in, T, C>;
template <class T, int C = 1>
using Out = FieldParameter<Access::out, T, C>;
template <class T, int C = 1>
using InOut = FieldParameter<Access::inout, T, C>;

// A scalar and two components of a vector with different reaches.
struct Lopsided {
  GOBAN_FUNCTION void operator()(auto site, auto u, auto f, auto v, auto w) const {
    v = u(-1, 0, 0) + u(3, 0, 0) + u(0, 0, -2) + f[0](1, 1, 0) + f[2]();
    w[1] += site.position(Axis::x);
    w[0] = f[0](0, -4, 0);
  }
};
Footprint lopsided() {
  return Footprint(
      trace<SiteParameter, In<float>, In<double, 3>, Out<half>, InOut<float, 2>>(Lopsided{}));
}

TEST(Footprint, TellsReachPerParameterComponentAxisAndSide) {
  const Footprint f = lopsided();
  EXPECT_EQ(f.reach(1, Axis::x, Side::low), 1);
  EXPECT_EQ(f.reach(1, Axis::x, Side::high), 3);
  EXPECT_EQ(f.reach(1, Axis::y, Side::high), 0);
  EXPECT_EQ(f.reach(1, Axis::z, Side::low), 2);
  EXPECT_EQ(f.reach(1, Axis::z, Side::high), 0);
  EXPECT_EQ(f.reach(2, Axis::y, Side::low), 4);
  EXPECT_EQ(f.reach(2, Axis::y, Side::high), 1);
  EXPECT_EQ(f.reach(2, 0, Axis::x, Side::high), 1);
  EXPECT_EQ(f.reach(2, 2, Axis::x, Side::high), 0);
  EXPECT_EQ(f.reach(Axis::x, Side::high), 3);
  EXPECT_EQ(f.reach(Axis::y, Side::low), 4);
  EXPECT_EQ(f.reach(3, Axis::x, Side::low), 0) << "an out is not read";
}

TEST(Footprint, ListsEachReadOnceInOrder) {
  const Footprint f = lopsided();
  EXPECT_TRUE(std::is_sorted(f.reads.begin(), f.reads.end()));
  EXPECT_EQ(f.reads.size(), 7u);
  EXPECT_EQ(f.reads.front(), (Read{1, 0, {-1, 0, 0}}));
  EXPECT_EQ(f.reads.back(), (Read{4, 1, {0, 0, 0}}));
}

TEST(Footprint, CountsBytesOfComponentsReadAndWritten) {
  // read: u 4, two of three components of f 16, w[1] 4; written: v 2, w 8
  EXPECT_EQ(lopsided().bytes_per_update(), 4 + 16 + 4 + 2 + 8);
}
struct AsksWhere {
  GOBAN_FUNCTION void operator()(auto site, auto v) const {
    v = site.template position<float>(Axis::x) + convert<float>(site.index(Axis::y));
  }
};
struct AsksWhen {
  GOBAN_FUNCTION void operator()(auto site, auto v) const { v = convert<float>(site.time()); }
};
struct AsksWhichStep {
  GOBAN_FUNCTION void operator()(auto site, auto v) const { v = convert<float>(site.step()); }
};
struct AsksForNoise {
  GOBAN_FUNCTION void operator()(auto site, auto v) const { v = site.template random<float>(); }
};

TEST(Footprint, TellsWhoSeesTheStep) {
  const auto sees_step = []<class F>(F functor) {
    return Footprint(trace<SiteParameter, Out<float>>(functor)).sees_step;
  };
  EXPECT_FALSE(sees_step(AsksWhere{}));
  EXPECT_TRUE(sees_step(AsksWhen{}));
  EXPECT_TRUE(sees_step(AsksWhichStep{}));
  EXPECT_TRUE(sees_step(AsksForNoise{}));
}

struct Forgets {
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    v[0] = u();
    if (u() > 0) v[1] = 1;
  }
};
struct Repeats {
  GOBAN_FUNCTION void operator()(auto u, auto v) const {
    v[0] = u();
    v[1] = 1;
    v[1] = 2;
  }
};

template <class F>
std::string message(const F& functor) {
  try {
    check(Footprint(trace<In<float>, Out<float, 2>>(functor)), "Example", {"u", "v"});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return {};
}

TEST(Check, NamesTheFunctorAndTheOutput) {
  EXPECT_EQ(message(Forgets{}),
            "functor Example does not assign every out (component 1 of 'v' keeps no value on some "
            "path); assign it exactly once on every path, or pass the field as inout");
  EXPECT_EQ(
      message(Repeats{}),
      "functor Example assigns an output more than once (component 1 of 'v'); compute the value "
      "in a variable and assign it once");
  const auto assigns_each_once = [](auto u, auto v) {
    v[0] = u();
    v[1] = u();
  };
  EXPECT_EQ(message(assigns_each_once), "");
}

}  // namespace
}  // namespace goban::footprint_test
