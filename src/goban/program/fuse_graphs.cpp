#include "goban/program/fuse_graphs.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "goban/program/arguments.hpp"
#include "goban/stencil/graph/graph_recorder.hpp"

namespace goban::detail {
namespace {

/// What comes back from memory once a number has been stored as S.
template <class S>
ArithmeticOf<S> as_stored(double number) {
  if constexpr (std::same_as<S, half>) {
    return static_cast<float>(half(static_cast<float>(number)));
  } else if constexpr (std::integral<S>) {
    return static_cast<S>(static_cast<std::int64_t>(number));
  } else {
    return static_cast<S>(number);
  }
}

/// Records the functors of a list at and around one cell, each at most once at a place on a path.
class GraphFusion {
 public:
  GraphFusion(const FuseList& list, const std::vector<std::shared_ptr<const Graph>>& graphs)
      : list_(list), graphs_(graphs), recorder_(recorded_) {
    for (int s = 0; s < static_cast<int>(graphs.size()); ++s) uses_.push_back(list.uses_of(s));
  }

  void record_into(Stage& stage) {
    for (const StageArgument& argument : list_.stored()) recorder_.describe(description(argument));
    if (recorder_.footprint().error == TraceError::none) {
      recorder_.explore([&] { evaluate_all(); });
    }
    stage.footprint = Footprint(recorder_.footprint());
    stage.graph = std::make_shared<const Graph>(std::move(recorded_.graph));
  }

 private:
  /// A functor and the cell it is evaluated at.
  using Place = std::pair<int, Index3>;

  static ParameterDescription description(const StageArgument& argument) {
    using Kind = ParameterDescription::Kind;
    if (!argument.field) return {.kind = argument.parameter ? Kind::value : Kind::site};
    return {Kind::field, argument.access, argument.field->type, argument.field->components};
  }
  bool is_intermediate(int argument) const {
    return list_.uses.kind[static_cast<std::size_t>(argument)] == FuseArgumentKind::intermediate;
  }
  /// Where an argument is among the parameters of the fused functor.
  int position(int argument) const {
    int position = 0;
    for (int a = 0; a < argument; ++a) position += is_intermediate(a) ? 0 : 1;
    return position;
  }
  const FuseUse& use(int stage, Index parameter) const {
    return uses_[static_cast<std::size_t>(stage)][static_cast<std::size_t>(parameter)];
  }
  bool is_handed_on(const FuseUse& use) const {
    return use.access == Access::in && list_.uses.writer(use.argument) >= 0;
  }
  bool stores(int stage) const {
    const auto& uses = uses_[static_cast<std::size_t>(stage)];
    return std::any_of(uses.begin(), uses.end(), [&](const FuseUse& use) {
      return use.access != Access::in && !is_intermediate(use.argument);
    });
  }

  void evaluate_all() {
    made_.clear();
    for (int s = 0; s < static_cast<int>(graphs_.size()); ++s) {
      if (stores(s)) store(s);
    }
  }
  void store(int stage) {
    const auto s = static_cast<std::size_t>(stage);
    const std::vector<int>& values = evaluate(stage, {});
    for (std::size_t o = 0; o < values.size(); ++o) {
      const Output& output = list_.footprints[s].outputs[o];
      const int argument = use(stage, output.parameter).argument;
      if (is_intermediate(argument) || is_old_value(output, values[o], position(argument)))
        continue;
      recorder_.assign(position(argument), output.component, values[o]);
    }
  }
  /// An inout that is not assigned keeps what it holds.
  bool is_old_value(const Output& output, int value, int position) const {
    const GraphNode& node = recorded_.graph.node(value);
    return node.op == GraphOp::read && node.data[0] == position &&
           node.data[1] == output.component &&
           recorder_.footprint().parameters[position].access == Access::inout;
  }

  /// Nodes of what a functor assigns on this path, for each of its outputs.
  const std::vector<int>& evaluate(int stage, const Index3& at) {
    const auto [found, is_new] = made_.try_emplace({stage, at});
    if (!is_new) return found->second;
    const auto s = static_cast<std::size_t>(stage);
    const Graph& graph = *graphs_[s];
    std::vector<int> copies(graph.nodes().size(), -1);
    const auto copy = [&](const std::vector<int>& roots) {
      for (const int n : graph.needed_for(roots)) {
        int& copy = copies[static_cast<std::size_t>(n)];
        if (copy < 0) copy = copied(stage, graph.node(n), at, copies);
      }
    };
    count(list_.footprints[s]);
    const Graph::Branch* branch = &graph.branches().front();
    while (branch->condition >= 0) {
      const int condition = branch->condition;
      copy({condition});
      const bool outcome = recorder_.decide(graph.node(condition).type.varies,
                                            copies[static_cast<std::size_t>(condition)]);
      branch = &graph.branches()[static_cast<std::size_t>(branch->next[outcome])];
    }
    copy(branch->outputs);
    for (const int output : branch->outputs) {
      found->second.push_back(copies[static_cast<std::size_t>(output)]);
    }
    for (const Read& read : list_.footprints[s].reads) {  // also those that nothing comes of
      if (!is_handed_on(use(stage, read.parameter))) {
        see(use(stage, read.parameter), read.component, moved(at, read.offset));
      }
    }
    return found->second;
  }

  /// Counts the operations on the path of a functor that costs most.
  void count(const Footprint& footprint) {
    for (Index n = 0; n < footprint.flops; ++n) recorder_.count(Operation::arithmetic, true);
    for (Index n = 0; n < footprint.integer_operations; ++n) {
      recorder_.count(Operation::arithmetic, false);
    }
    for (Index n = 0; n < footprint.special_functions; ++n) {
      recorder_.count(Operation::special, true);
    }
    if (footprint.sees_step) recorder_.see_step();
  }

  static Index3 moved(Index3 at, const auto& offset) {
    for (std::size_t a = 0; a < 3; ++a) at[a] += offset[a];
    return at;
  }

  void see(const FuseUse& use, int component, const Index3& at) {
    recorder_.read(position(use.argument), component, static_cast<int>(at[0]),
                   static_cast<int>(at[1]), static_cast<int>(at[2]));
  }

  /// A node of a functor that is evaluated at `at`, whose operands have been copied.
  int copied(int stage, GraphNode node, const Index3& at, const std::vector<int>& copies) {
    for (int& operand : node.operands) {
      if (operand >= 0) operand = copies[static_cast<std::size_t>(operand)];
    }
    auto& data = node.data;
    switch (node.op) {
      case GraphOp::read: return copied_read(use(stage, data[0]), node, at);
      case GraphOp::value: data[0] = position(use(stage, data[0]).argument); break;
      case GraphOp::walled: data[1] += at[static_cast<std::size_t>(data[0])]; break;
      case GraphOp::position:
        data[4] = std::bit_cast<std::int64_t>(list_.site_offset(stage)[data[0]]);
        data[5] = 1;
        [[fallthrough]];
      case GraphOp::index:
      case GraphOp::random:
        for (std::size_t a = 0; a < 3; ++a) data[1 + a] += at[a];
        break;
      default: break;
    }
    return recorder_.node(node);
  }
  int copied_read(const FuseUse& use, GraphNode node, const Index3& at) {
    const auto component = static_cast<int>(node.data[1]);
    const auto cell = moved(at, std::array{node.data[2], node.data[3], node.data[4]});
    if (is_handed_on(use)) return value(use.argument, component, cell);
    see(use, component, cell);
    node.data[0] = position(use.argument);
    std::copy(cell.begin(), cell.end(), node.data.begin() + 2);
    return recorder_.node(node);
  }

  /// A component of what a functor writes to an argument, as it comes back from memory.
  int value(int argument, int component, const Index3& at) {
    const int writer = list_.uses.writer(argument);
    const std::vector<int>& values = evaluate(writer, at);
    const auto& outputs = list_.footprints[static_cast<std::size_t>(writer)].outputs;
    const auto output = std::find_if(outputs.begin(), outputs.end(), [&](const Output& one) {
      return use(writer, one.parameter).argument == argument && one.component == component;
    });
    const FieldRecord& field = *list_.arguments[static_cast<std::size_t>(argument)].field;
    return visit_element(field.type, [&]<class S>(S) {
      const int made = values[static_cast<std::size_t>(output - outputs.begin())];
      return as_read<S>(made, argument, field, at);
    });
  }
  template <class S>
  int as_read(int made, int argument, const FieldRecord& field, const Index3& at) {
    using T = ArithmeticOf<S>;
    const auto type = GraphType::of<T>(true);
    if constexpr (std::same_as<S, half>) {
      const GraphNode& node = recorded_.graph.node(made);
      if (node.op == GraphOp::constant) {
        const auto number = std::bit_cast<float>(static_cast<std::int32_t>(node.data[0]));
        made = constant_node(recorder_, static_cast<float>(half(number)));
      } else {
        made = recorder_.node({GraphOp::stored_as_half, type, {made, -1, -1}});
      }
    }
    if (!list_.is_walled[static_cast<std::size_t>(argument)]) return made;
    for (std::size_t a = 0; a < 3; ++a) {  // ends of later axes win, as in corners of halos
      const auto beyond = [&](std::size_t side) {
        return bits_of(as_stored<S>(field.boundary.front().sides[a][side].value));
      };
      made = recorder_.node({GraphOp::walled,
                             type,
                             {made, -1, -1},
                             {static_cast<std::int64_t>(a), at[a], beyond(0), beyond(1),
                              is_staggered(field.location, static_cast<int>(a))}});
    }
    return made;
  }

  const FuseList& list_;
  const std::vector<std::shared_ptr<const Graph>>& graphs_;
  std::vector<std::vector<FuseUse>> uses_;  ///< the uses of arguments by each functor
  GraphRecorder recorded_;
  Recorder recorder_;
  std::map<Place, std::vector<int>> made_;  ///< on this path: see evaluate
};

}  // namespace

std::shared_ptr<Stage> fuse_graphs(FuseList list,
                                   const std::vector<std::shared_ptr<const Graph>>& graphs) {
  list.check_uses();
  list.check_footprints();
  const auto is_site = [](const StageArgument& argument) {
    return argument.kind == StageArgument::Kind::site;
  };
  const bool has_site = std::any_of(list.arguments.begin(), list.arguments.end(), is_site);
  // Whether a cell lies beyond the ends is known from its index.
  if (!has_site &&
      std::find(list.is_walled.begin(), list.is_walled.end(), true) != list.is_walled.end()) {
    list.uses.kind.push_back(FuseArgumentKind::other);
    list.arguments.push_back(SiteArgument{}.argument());
    list.is_walled.push_back(false);
  }
  auto stage = std::make_shared<Stage>();
  stage->name = list.name();
  stage->arguments = list.stored();
  stage->handovers = list.handovers();
  GraphFusion(list, graphs).record_into(*stage);
  std::vector<std::string> names;
  for (const StageArgument& argument : stage->arguments) names.push_back(argument.name());
  goban::check(stage->footprint, stage->name, names);
  return stage;
}

}  // namespace goban::detail
