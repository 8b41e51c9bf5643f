#include "goban/stencil/graph/branches.hpp"

#include <gtest/gtest.h>

#include "goban/stencil/columns.hpp"

namespace goban::branches_test {
namespace {

template <class T>
using In = FieldParameter<Access::in, T, 1>;
template <class T>
using Out = FieldParameter<Access::out, T, 1>;
template <class T>
using InOut = FieldParameter<Access::inout, T, 1>;

struct Decay {
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = 0.5f * u(); }
};
struct Limit {
  GOBAN_FUNCTION void operator()(auto u, auto w) const {
    if (u() > 1) {
      w = 1;
    } else if (u() < -1) {
      w = -1;
    }
  }
};
struct Both {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    const auto twice = 2 * u();
    if (u() > 0) {
      next = twice;
    } else {
      next = twice;
    }
  }
};
struct Switch {
  GOBAN_FUNCTION void operator()(auto u, auto on, auto next) const {
    if (on()) {
      next = u(1, 0, 0);
    } else {
      next = u(-1, 0, 0);
    }
  }
};
struct Settle {
  GOBAN_FUNCTION void backward(auto u, auto v, auto s) const {
    if (u() > 0) {
      s = s.before() + u();
    } else {
      s = s.before();
    }
    v = s();
  }
};

Graph straight(const RecordedFunctor& functor) {
  return without_branches(*functor.graph, Footprint(functor.footprint));
}
const GraphNode& result(const Graph& graph, std::size_t output = 0) {
  return graph.node(graph.branches().front().outputs.at(output));
}

TEST(WithoutBranches, AGraphWithoutThemStaysAsItIs) {
  const auto recorded = record<In<float>, Out<float>>(Decay{});
  EXPECT_EQ(straight(recorded).signature(), recorded.graph->signature());
}

TEST(WithoutBranches, OutputsAreSelectedAndKeptWhereNoneIsAssigned) {
  const Graph graph = straight(record<In<float>, InOut<float>>(Limit{}));
  ASSERT_EQ(graph.branches().size(), 1u);
  const GraphNode& outer = result(graph);
  ASSERT_EQ(outer.op, GraphOp::select);
  EXPECT_EQ(outer.type, GraphType::of<float>(true));
  EXPECT_EQ(graph.node(outer.operands[0]).op, GraphOp::greater);
  EXPECT_EQ(graph.node(outer.operands[1]).op, GraphOp::constant);
  const GraphNode& inner = graph.node(outer.operands[2]);
  ASSERT_EQ(inner.op, GraphOp::select);
  EXPECT_EQ(graph.node(inner.operands[0]).op, GraphOp::less);
  const GraphNode& kept = graph.node(inner.operands[2]);
  EXPECT_EQ(kept.op, GraphOp::read);
  EXPECT_EQ(kept.data, (std::array<std::int64_t, 6>{1, 0, 0, 0, 0, 0}));
}

TEST(WithoutBranches, WhatBothPathsAssignIsNotSelected) {
  const Graph graph = straight(record<In<float>, Out<float>>(Both{}));
  EXPECT_EQ(result(graph).op, GraphOp::multiply);
}

TEST(WithoutBranches, ANumberIsAConditionWhereItIsNotZero) {
  const Graph graph = straight(record<In<float>, ValueParameter<int>, Out<float>>(Switch{}));
  ASSERT_EQ(result(graph).op, GraphOp::select);
  const GraphNode& condition = graph.node(result(graph).operands[0]);
  EXPECT_EQ(condition.op, GraphOp::not_equal);
  EXPECT_EQ(condition.type, GraphType::mask(4, false));
  EXPECT_EQ(graph.node(condition.operands[0]).op, GraphOp::value);
}

TEST(WithoutBranches, SweepsOfColumnsLeaveWhatTheOtherOneAssigns) {
  const auto columns = record_columns<In<double>, Out<double>, ScratchParameter<double>>(Settle{});
  const Graph graph = without_branches(*columns.backward.graph, columns.backward.footprint);
  const auto& outputs = graph.branches().front().outputs;
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(result(graph, 0).op, GraphOp::select);
  EXPECT_EQ(outputs[0], outputs[1]);
}

TEST(WithoutBranches, NoPathAssignsWhatStaysMinusOne) {
  Graph graph;
  const int condition = graph.add({GraphOp::less, GraphType::mask(4, true)});
  graph.add_path({{condition, false}}, {-1});
  graph.add_path({{condition, true}}, {-1});
  Footprint footprint;
  footprint.outputs = {{.parameter = 0, .component = 0}};
  EXPECT_EQ(without_branches(graph, footprint).branches().front().outputs, std::vector<int>{-1});
}

}  // namespace
}  // namespace goban::branches_test
