// What neighbouring levels of a column share in a kernel.

#include "goban/backend/cuda/generator/shared_levels.hpp"

#include <gtest/gtest.h>

#include "goban/stencil/columns.hpp"
#include "goban/stencil/site.hpp"

namespace goban::cuda::shared_levels_test {
namespace {

template <class T>
using In = FieldParameter<Access::in, T, 1>;
template <class T>
using Out = FieldParameter<Access::out, T, 1>;
template <class T>
using InOut = FieldParameter<Access::inout, T, 1>;

SharedLevels shared(const RecordedSweep& sweep, bool is_backward) {
  return share_levels(sweep, Axis::z, is_backward, sweep.graph->argument_constants());
}

int count_of(const Graph& graph, GraphOp op) {
  const auto& outputs = graph.branches().front().outputs;
  int count = 0;
  for (const int n : graph.needed_for(outputs)) count += graph.node(n).op == op ? 1 : 0;
  return count;
}

/// Roots of three neighbours: two are of the level before, and their difference is another.
struct Roots {
  float r;
  GOBAN_FUNCTION void forward(auto u, auto next) const {
    const auto root = [&](int k) { return sqrt(u(0, 0, k) + r); };
    next = (root(1) - root(0)) - (root(0) - root(-1));
  }
};

TEST(SharedLevels, WhatTheLevelBeforeHasComputedIsHandedOn) {
  const auto recorded = record_columns<In<float>, Out<float>>(Roots{0.3f});
  const SharedLevels up = shared(recorded.forward, false);
  ASSERT_EQ(up.reads.size(), 1u);
  EXPECT_EQ(up.reads[0].offset, (std::array<int, 3>{0, 0, 1}));
  EXPECT_EQ(count_of(*recorded.forward.graph, GraphOp::sqrt), 3);
  EXPECT_EQ(count_of(up.graph, GraphOp::sqrt), 1);
  EXPECT_EQ(up.handed.size(), 2u);  // a root and a difference
  // The first level has no level before it.
  EXPECT_EQ(count_of(up.first, GraphOp::sqrt), 2);
  EXPECT_EQ(count_of(up.first, GraphOp::read), 2);
  const auto constant = static_cast<std::size_t>(up.constants.at(0));
  EXPECT_EQ(up.graph.nodes().at(constant).op, GraphOp::constant);
}

/// The constants of a kernel are those of both ways; the graph of the way back goes on where that
/// of the way forth ends.
struct ThereAndBack {
  float up, down;
  GOBAN_FUNCTION void forward(auto u, auto, auto s) const {
    s[0] = select(u() > 0, up * u(0, 0, 1), u());
  }
  GOBAN_FUNCTION void backward(auto u, auto next, auto s) const {
    next = s[0]() + down * (u(0, 0, 1) - u());
  }
};

TEST(SharedLevels, ConstantsOfTheOtherWayAreNotNeeded) {
  const auto recorded =
      record_columns<In<float>, Out<float>, ScratchParameter<float, 1>>(ThereAndBack{0.3f, 0.7f});
  const auto constants = recorded.backward.graph->argument_constants();
  ASSERT_EQ(constants.size(), 2u);
  ASSERT_GE(constants[1], static_cast<int>(recorded.forward.graph->nodes().size()));
  const SharedLevels up = share_levels(recorded.forward, Axis::z, false, constants);
  EXPECT_GE(up.constants.at(0), 0);
  EXPECT_EQ(up.constants.at(1), -1);
  const SharedLevels down = share_levels(recorded.backward, Axis::z, true, constants);
  EXPECT_GE(down.constants.at(1), 0);
}

TEST(SharedLevels, OnTheWayBackTheLevelBeforeIsTheOneAbove) {
  const auto recorded = record_columns<In<float>, Out<float>>(Roots{0.3f});
  const SharedLevels down = shared(recorded.forward, true);
  ASSERT_EQ(down.reads.size(), 1u);
  EXPECT_EQ(down.reads[0].offset, (std::array<int, 3>{0, 0, -1}));
}

/// Neither what is made of the level's number or of scratch nor what the sweep changes is the same
/// one level on.
struct Different {
  GOBAN_FUNCTION void forward(auto site, auto u, auto v, auto s) const {
    const auto is_first = site.index(Axis::z) == 0;
    s[0] = select(is_first, u(), u(0, 0, 1)) + s[0].before();
    v = v() + s[0]();
  }
};

TEST(SharedLevels, NothingElseIs) {
  const auto recorded =
      record_columns<SiteParameter, In<float>, InOut<float>, ScratchParameter<float, 1>>(
          Different{});
  const SharedLevels up = shared(recorded.forward, false);
  EXPECT_EQ(up.handed.size(), 1u);  // u() alone
  EXPECT_EQ(up.reads.size(), 2u);   // u(0, 0, 1) and v()
}

/// Values differ from cell to cell in which way they are computed.
struct Branching {
  GOBAN_FUNCTION void forward(auto u, auto next) const {
    if (u(0, 0, 1) > 0) {
      next = u(0, 0, -1);
    } else {
      next = u();
    }
  }
};

TEST(SharedLevels, FunctorsThatBranchStayAsTheyAre) {
  const auto recorded = record_columns<In<float>, Out<float>>(Branching{});
  const SharedLevels up = shared(recorded.forward, false);
  EXPECT_TRUE(up.handed.empty());
  EXPECT_EQ(up.reads.size(), 3u);
}

}  // namespace
}  // namespace goban::cuda::shared_levels_test
