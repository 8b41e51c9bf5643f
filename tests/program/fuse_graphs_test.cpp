// What functors fused as graphs compute is what one functor would that somebody writes by hand.

#include "goban/program/fuse_graphs.hpp"

#include <gtest/gtest.h>

#include <map>

#include "goban/program/program.hpp"
#include "goban/stencil/graph/graph_recorder.hpp"
#include "tests/domain/decomposition/no_store.hpp"
#include "tests/error_text.hpp"

namespace goban::fuse_graphs_test {
namespace {

/// Paths and the nodes that they need, which two graphs may have in another order.
class PathText {
 public:
  explicit PathText(const Graph& graph) : graph_(graph) {
    for (const Graph::Branch& branch : graph.branches()) {
      text += "if " + number(branch.condition);
      for (const int next : branch.next) text += " " + std::to_string(next);
      for (const int output : branch.outputs) text += " = " + number(output);
      text += "\n";
    }
  }
  std::string text;

 private:
  std::string number(int n) {
    if (n < 0) return "-";
    if (const auto known = numbers_.find(n); known != numbers_.end()) return known->second;
    const GraphNode& node = graph_.node(n);
    std::string line = std::to_string(static_cast<int>(node.op)) + " " +
                       std::to_string(static_cast<int>(node.type.kind)) + "." +
                       std::to_string(node.type.bytes) + "." + std::to_string(node.type.varies);
    for (const int operand : node.operands) line += " " + number(operand);
    for (const auto datum : node.data) line += "," + std::to_string(datum);
    text += line + "\n";
    return numbers_[n] = "v" + std::to_string(numbers_.size());
  }

  const Graph& graph_;
  std::map<int, std::string> numbers_;
};

struct Difference {
  float k = 1;
  GOBAN_FUNCTION void operator()(auto u, auto d) const {
    d[0] = k * (u() - u(-1, 0, 0));
    d[1] = 0.1;
  }
};
struct Sum {
  GOBAN_FUNCTION void operator()(auto d, auto sum) const {
    const auto right = d[0](1, 0, 0);
    const auto here = d[0]();
    sum = right + here + d[1].shift(Axis::y, 1)();
  }
};
/// What Difference and Sum make of u.
struct SumOfDifferences {
  float k;
  GOBAN_FUNCTION void operator()(auto u, auto sum) const {
    const auto right = k * (u(1, 0, 0) - u());
    const auto here = k * (u() - u(-1, 0, 0));
    sum = right + here + 0.1;
  }
};

struct Branch {
  GOBAN_FUNCTION void operator()(auto u, auto d) const {
    if (u() > 0.0f) {
      d[0] = u(3, 0, 0);
    } else {
      d[0] = u();
    }
    d[1] = u();
  }
};
struct Limit {
  GOBAN_FUNCTION void operator()(auto d, auto w) const {
    if (d[0](1, 0, 0) > 1) w = d[1]();
  }
};
/// Component 0 of what Branch makes of u.
GOBAN_FUNCTION auto branched(const auto& u) {
  if (u() > 0.0f) return u(3, 0, 0);
  return u();
}
struct SumOfBranches {
  GOBAN_FUNCTION void operator()(auto u, auto sum) const {
    const auto right = branched(u.shift(Axis::x, 1));
    const auto here = branched(u);
    branched(u.shift(Axis::y, 1));
    sum = right + here + u(0, 1, 0);
  }
};
struct LimitOfBranches {
  GOBAN_FUNCTION void operator()(auto u, auto w) const {
    if (branched(u.shift(Axis::x, 1)) > 1) {
      branched(u);
      w = u();
    }
  }
};

struct Where {
  GOBAN_FUNCTION void operator()(auto d, auto site, auto p, auto there) const {
    there = d() * p() + site.template position<float>(Axis::x) +
            convert<float>(site.index(Axis::z)) + site.template random<float>(3);
  }
};
struct Above {
  GOBAN_FUNCTION void operator()(auto there, auto above) const { above = there(2, 0, -1); }
};

class FuseGraphs : public testing::Test, public test::NoStore {
 protected:
  FuseGraphs() : NoStore(Settings{}) {}

  template <class List, class... Arguments>
  const Stage& fused(const List& list, const Arguments&... arguments) {
    program_.fuse(list, arguments...);
    return *program_.stages().back();
  }
  static void expect_equal(const Stage& stage, const RecordedFunctor& by_hand) {
    EXPECT_EQ(PathText(*stage.graph).text, PathText(*by_hand.graph).text);
    const Footprint footprint(by_hand.footprint);
    EXPECT_EQ(stage.footprint.outputs, footprint.outputs);
    EXPECT_EQ(stage.footprint.paths, footprint.paths);
    EXPECT_EQ(stage.footprint.branching, footprint.branching);
    EXPECT_EQ(stage.arguments.size(), footprint.parameters.size());
    for (const Read& read : footprint.reads) {
      EXPECT_TRUE(std::find(stage.footprint.reads.begin(), stage.footprint.reads.end(), read) !=
                  stage.footprint.reads.end());
    }
  }
  static std::vector<GraphNode> nodes_of(const Stage& stage, GraphOp op) {
    std::vector<GraphNode> found;
    for (const GraphNode& node : stage.graph->nodes()) {
      if (node.op == op) found.push_back(node);
    }
    return found;
  }
  static std::int64_t bits(float x) { return std::bit_cast<std::int32_t>(x); }

  Grid grid_{*this, {.cells = {8, 6, 4}, .boundary = {constant(1.5), periodic, constant(0.1)}}};
  Field<float> u_{grid_, "u"}, sum_{grid_, "sum"};
  Intermediate<float, 2> flux_{grid_, "flux"};
  Program program_{"fused"};
};

TEST_F(FuseGraphs, PutWhatIsComputedWhereItIsRead) {
  const Stage& made = fused(
      [](auto u, auto flux, auto sum) {
        return stages(stage(Difference{0.3f}, in(u), out(flux)), stage(Sum{}, in(flux), out(sum)));
      },
      u_, flux_, sum_);
  expect_equal(made, record<FieldParameter<Access::in, float>, FieldParameter<Access::out, float>>(
                         SumOfDifferences{0.3f}));
  // Differences at the cell, its neighbour along x and, for a constant, that along y.
  EXPECT_EQ(made.footprint.reads.size(), 5u);
  EXPECT_EQ(made.footprint.flops, 3 * 2 + 2);
}

TEST_F(FuseGraphs, RoundToWhatIsStored) {
  const Intermediate<half, 2> halves(grid_, "halves");
  const Stage& made = fused(
      [](auto u, auto flux, auto sum) {
        return stages(stage(Difference{}, in(u), out(flux)), stage(Sum{}, in(flux), out(sum)));
      },
      u_, halves, sum_);
  EXPECT_EQ(nodes_of(made, GraphOp::stored_as_half).size(), 2u) << "differences at two cells";
  const std::string text = text_of(*made.graph, made.footprint, {"u", "sum"});
  EXPECT_NE(text.find(" + 0.0999755859f"), std::string::npos) << "0.1 as half: " << text;
}

TEST_F(FuseGraphs, HaveConstantsBeyondWalls) {
  const Stage& made = fused(
      [](auto u, auto flux, auto above) {
        return stages(stage(Difference{}, in(u), out(flux)), stage(Sum{}, in(flux), out(above)));
      },
      u_, walled(flux_), sum_);
  ASSERT_EQ(made.arguments.size(), 3u);
  EXPECT_EQ(made.arguments[2].kind, StageArgument::Kind::site);
  const auto walls = nodes_of(made, GraphOp::walled);
  ASSERT_EQ(walls.size(), 3u * 3u) << "axes of three places";
  EXPECT_EQ(walls[0].data, (std::array<std::int64_t, 6>{0, 1, bits(1.5f), bits(1.5f), 0}));
  EXPECT_EQ(walls[1].data[0], 1);
  EXPECT_EQ(walls[2].data, (std::array<std::int64_t, 6>{2, 0, bits(0.1f), bits(0.1f), 0}));
  EXPECT_EQ(walls[7].data[1], 1) << "beside the cell along y";
}

TEST_F(FuseGraphs, KnowWhereTheyAre) {
  const Intermediate<float> there(grid_, "there", {.location = Location::face_x});
  const Parameter<double> p("p", 3);
  const Stage& made = fused(
      [](auto u, auto site, auto p, auto there, auto above) {
        return stages(stage(Where{}, in(u), site, p, out(there)),
                      stage(Above{}, in(there), out(above)));
      },
      u_, site, param(p), there, sum_);
  EXPECT_EQ(made.footprint.reads, (std::vector<Read>{{0, 0, {2, 0, -1}}}));
  EXPECT_TRUE(made.footprint.sees_step);
  EXPECT_EQ(nodes_of(made, GraphOp::value).at(0).data[0], 2);
  const auto one = [&](GraphOp op) { return nodes_of(made, op).at(0).data; };
  using Data = std::array<std::int64_t, 6>;
  EXPECT_EQ(one(GraphOp::position), (Data{0, 2, 0, -1, 0, 1})) << "on faces";
  EXPECT_EQ(one(GraphOp::index), (Data{2, 2, 0, -1}));
  EXPECT_EQ(one(GraphOp::random), (Data{3, 2, 0, -1}));
}

TEST_F(FuseGraphs, BranchAtEachPlace) {
  expect_equal(fused(
                   [](auto u, auto flux, auto sum) {
                     return stages(stage(Branch{}, in(u), out(flux)),
                                   stage(Sum{}, in(flux), out(sum)));
                   },
                   u_, flux_, sum_),
               record<FieldParameter<Access::in, float>, FieldParameter<Access::out, float>>(
                   SumOfBranches{}));
  expect_equal(fused(
                   [](auto u, auto flux, auto sum) {
                     return stages(stage(Branch{}, in(u), out(flux)),
                                   stage(Limit{}, in(flux), inout(sum)));
                   },
                   u_, flux_, sum_),
               record<FieldParameter<Access::in, float>, FieldParameter<Access::inout, float>>(
                   LimitOfBranches{}));
}

TEST_F(FuseGraphs, GetASiteForWalls) {
  detail::FuseList list;
  list.uses = {{detail::FuseArgumentKind::field, detail::FuseArgumentKind::intermediate,
                detail::FuseArgumentKind::field},
               {{0, 0, Access::in, true},
                {0, 1, Access::out, true},
                {1, 1, Access::in, true},
                {1, 2, Access::out, true}}};
  list.arguments = {in(u_).argument(),
                    {StageArgument::Kind::field, Access::in, flux_.record(), flux_.grid(), nullptr},
                    in(sum_).argument()};
  list.is_walled = {false, true, false};
  list.names = {"Difference", "Sum"};
  using Uses = FieldParameter<Access::out, float, 2>;
  const auto first = record<FieldParameter<Access::in, float>, Uses>(Difference{});
  const auto second =
      record<FieldParameter<Access::in, float, 2>, FieldParameter<Access::out, float>>(Sum{});
  list.footprints = {Footprint(first.footprint), Footprint(second.footprint)};
  const auto stage = detail::fuse_graphs(list, {first.graph, second.graph});
  ASSERT_EQ(stage->arguments.size(), 3u);
  EXPECT_EQ(stage->arguments[2].kind, StageArgument::Kind::site);
  EXPECT_EQ(stage->name, "Difference + Sum");
  ASSERT_EQ(stage->handovers.size(), 1u);
  EXPECT_TRUE(stage->handovers[0].walls && !stage->handovers[0].is_stored);

  list.uses.use[3].access = Access::in;
  EXPECT_EQ(test::refusal(ExitCode::usage,
                          [&] {
                            detail::fuse_graphs(list, {first.graph, second.graph});
                          }),
            "the fuse 'Difference + Sum' is refused (no stage of the fuse writes a field)");
}

}  // namespace
}  // namespace goban::fuse_graphs_test
