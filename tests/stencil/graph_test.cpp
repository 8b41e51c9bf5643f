#include "goban/stencil/graph/graph_recorder.hpp"

#include <gtest/gtest.h>

#include "goban/stencil/operators.hpp"

namespace goban::graph_test {
namespace {

template <class T>
using In = FieldParameter<Access::in, T, 1>;
template <class T>
using Out = FieldParameter<Access::out, T, 1>;
template <class T>
using InOut = FieldParameter<Access::inout, T, 1>;

struct Diffuse {
  float r;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + r * (u(1, 0, 0) + u(-1, 0, 0) - 2.0f * u());
  }
};

struct Twice {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = (u(1, 0, 0) + u(0, 1, 0)) * (u(1, 0, 0) + u(0, 1, 0));
  }
};
struct Decay {
  float r;
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = r * u(); }
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
struct Update {
  GOBAN_FUNCTION void operator()(auto w, auto v) const {
    w = w() + 1;
    v = w() * 2;
  }
};
struct Mixed {
  GOBAN_FUNCTION void operator()(auto a, auto b, auto next) const {
    next = select(a() > 3, convert<float>(a()) * b(), 0.5);
  }
};

std::string text(const RecordedFunctor& functor, const std::vector<std::string>& names) {
  return text_of(*functor.graph, Footprint(functor.footprint), names);
}

TEST(Graph, HoldsWhatAFunctorComputes) {
  const auto recorded = record<In<float>, Out<float>>(Diffuse{0.1f});
  const std::string written = text(recorded, {"u", "next"});
  EXPECT_NE(written.find("= u(1, 0, 0);"), std::string::npos) << written;
  EXPECT_NE(written.find("= 2f * v"), std::string::npos) << written;
  EXPECT_NE(written.find("= 0.100000001f * v"), std::string::npos) << written;
  EXPECT_NE(written.find("next = v"), std::string::npos) << written;
}

TEST(Graph, HoldsEveryValueOnce) {
  const auto recorded = record<In<float>, Out<float>>(Twice{});
  EXPECT_EQ(recorded.graph->nodes().size(), 4u) << text(recorded, {"u", "next"});
}

TEST(Graph, AnotherConstantNeedsNoOtherKernel_ANewOperationDoes) {
  const auto signature = [](const auto& functor) {
    return record<In<float>, Out<float>>(functor).graph->signature();
  };
  EXPECT_EQ(signature(Diffuse{0.1f}), signature(Diffuse{0.125e-3f}));
  EXPECT_NE(signature(Diffuse{0.1f}), signature(Decay{0.1f}));
}

TEST(Graph, SmallNumbersArePartOfTheKernel) {
  const auto recorded = record<In<float>, Out<float>>(Diffuse{0.1f});
  ASSERT_EQ(recorded.graph->argument_constants().size(), 1u);
  const GraphNode& node = recorded.graph->node(recorded.graph->argument_constants()[0]);
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::int32_t>(node.data[0])), 0.1f);
}

TEST(Graph, BranchesAreATreeWhoseEndsAssignEveryOutput) {
  const auto recorded = record<In<float>, InOut<float>>(Limit{});
  const auto& branches = recorded.graph->branches();
  int ends = 0;
  for (const auto& branch : branches) {
    if (branch.condition >= 0) continue;
    ++ends;
    ASSERT_EQ(branch.outputs.size(), 1u);
    EXPECT_GE(branch.outputs[0], 0);
  }
  EXPECT_EQ(ends, 3);
  const std::string written = text(recorded, {"u", "w"});
  EXPECT_NE(written.find("} else {"), std::string::npos) << written;
  EXPECT_NE(written.find("w = 1f;"), std::string::npos) << written;
}

TEST(Graph, AnInoutThatWasAssignedReadsAsItsNewValue) {
  const auto recorded = record<InOut<float>, Out<float>>(Update{});
  const auto& outputs = recorded.graph->branches()[0].outputs;
  const GraphNode& product = recorded.graph->node(outputs[1]);
  ASSERT_EQ(product.op, GraphOp::multiply);
  EXPECT_EQ(product.operands[0], outputs[0]);
}

TEST(Graph, TypesMeetByOneRule) {
  const auto recorded = record<In<std::uint8_t>, In<float>, Out<double>>(Mixed{});
  const GraphNode& result = recorded.graph->node(recorded.graph->branches()[0].outputs[0]);
  ASSERT_EQ(result.op, GraphOp::convert);  // of the float that select gives
  EXPECT_EQ(result.type, GraphType::of<double>(true));
  const GraphNode& selected = recorded.graph->node(result.operands[0]);
  EXPECT_EQ(selected.type, GraphType::of<float>(true));
  EXPECT_EQ(recorded.graph->node(selected.operands[0]).type, GraphType::mask(1, true));
}

}  // namespace
}  // namespace goban::graph_test
