// Functors fused as graphs are what their fused C++ is when it records.

#include "goban/program/fuse_graphs.hpp"

#include <gtest/gtest.h>

#include <map>

#include "goban/program/fuse_plan.hpp"
#include "goban/stencil/graph/graph_recorder.hpp"
#include "goban/stencil/operators.hpp"
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
    sum = d[0](1, 0, 0) + d[0]() + d[1].shift(Axis::y, 1)();
  }
};
struct Where {
  GOBAN_FUNCTION void operator()(auto d, auto site, auto p, auto there) const {
    there = d[0](0, 0, -1) * p() + site.template position<float>(Axis::x) +
            convert<float>(site.index(Axis::z)) + site.template random<float>(3) +
            convert<float>(d[0]() * site.time());
  }
};
struct Smooth {
  GOBAN_FUNCTION void operator()(auto there, auto smooth) const { smooth = laplacian<2>(there); }
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

class FuseGraphs : public testing::Test, public test::NoStore {
 protected:
  FuseGraphs() : NoStore(Settings{}) {}

  template <class Part, class F, class... Uses>
  static std::shared_ptr<const Graph> graph_of(const FusedPart<F, Uses...>* /*type*/,
                                               const F& functor) {
    return record<typename Part::template Own<Uses>...>(functor).graph;
  }
  /// The same stages in both ways.
  template <class List, class... Arguments>
  static void expect_equal(const List& list, const Arguments&... arguments) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      std::apply(
          [&](const auto&... stages) { expect_equal_of(std::tuple(stages...), arguments...); },
          list(FuseArgument<I>{}...));
    }
    (std::make_integer_sequence<int, sizeof...(Arguments)>{});
  }
  template <class... S, class... Arguments>
  static void expect_equal_of(const std::tuple<S...>& stages, const Arguments&... arguments) {
    using All = std::tuple<Arguments...>;
    const detail::FusePlan<All, std::tuple<S...>> plan(stages, {typeid(S).name()...}, arguments...);
    std::vector<std::shared_ptr<const Graph>> graphs;
    std::apply(
        [&](const auto&... stage) {
          (graphs.push_back(graph_of<detail::FusePartOf<S, All>>(
               static_cast<typename detail::FusePartOf<S, All>::Type*>(nullptr), stage.functor)),
           ...);
        },
        stages);
    const auto stage = detail::fuse_graphs(plan.list(), graphs);
    const auto wanted = [&]<class... P>(std::type_identity<std::tuple<P...>>) {
      return record<P...>(plan.functor());
    }(std::type_identity<typename decltype(plan)::Parameters>{});
    EXPECT_EQ(PathText(*stage->graph).text, PathText(*wanted.graph).text);
    const Footprint footprint(wanted.footprint);
    EXPECT_EQ(stage->footprint.reads, footprint.reads);
    EXPECT_EQ(stage->footprint.outputs, footprint.outputs);
    EXPECT_EQ(stage->footprint.flops, footprint.flops);
    EXPECT_EQ(stage->footprint.special_functions, footprint.special_functions);
    EXPECT_EQ(stage->footprint.paths, footprint.paths);
    EXPECT_EQ(stage->footprint.branching, footprint.branching);
    EXPECT_EQ(stage->footprint.sees_step, footprint.sees_step);
    EXPECT_EQ(stage->arguments.size(), footprint.parameters.size());
  }

  Grid grid_{*this, {.cells = {8, 6, 4}, .boundary = {constant(1.5), periodic, constant(0.1)}}};
  Field<float> u_{grid_, "u"}, sum_{grid_, "sum"}, there_{grid_, "there"};
  Field<half, 2> halves_{grid_, "halves"};
  Intermediate<float, 2> flux_{grid_, "flux"};
  Parameter<double> p_{"p", 3};
};

TEST_F(FuseGraphs, PutWhatIsComputedWhereItIsRead) {
  expect_equal(
      [](auto u, auto flux, auto sum) {
        return stages(stage(Difference{0.3f}, in(u), out(flux)), stage(Sum{}, in(flux), out(sum)));
      },
      u_, flux_, sum_);
}

TEST_F(FuseGraphs, RoundToWhatIsStored) {
  expect_equal(
      [](auto u, auto flux, auto sum) {
        return stages(stage(Difference{}, in(u), out(flux)), stage(Sum{}, in(flux), out(sum)));
      },
      u_, halves_, sum_);
}

TEST_F(FuseGraphs, HaveConstantsBeyondWallsAndTheirOwnPlaces) {
  const Intermediate<float> between(grid_, "between", {.location = Location::face_x});
  expect_equal(
      [](auto u, auto flux, auto between, auto site, auto p, auto smooth) {
        return stages(stage(Difference{2}, in(u), out(flux)),
                      stage(Where{}, in(flux), site, p, out(between)),
                      stage(Smooth{}, in(between), out(smooth)));
      },
      u_, walled(flux_), walled(between), site, param(p_), there_);
}

TEST_F(FuseGraphs, BranchAtEachPlace) {
  expect_equal(
      [](auto u, auto flux, auto sum) {
        return stages(stage(Branch{}, in(u), out(flux)), stage(Sum{}, in(flux), out(sum)));
      },
      u_, flux_, sum_);
  expect_equal(
      [](auto u, auto flux, auto sum) {
        return stages(stage(Branch{}, in(u), out(flux)), stage(Limit{}, in(flux), inout(sum)));
      },
      u_, flux_, sum_);
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
