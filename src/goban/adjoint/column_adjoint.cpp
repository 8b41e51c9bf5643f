#include "goban/adjoint/column_adjoint.hpp"

#include <map>

#include "goban/adjoint/column_record.hpp"
#include "goban/adjoint/moved_nodes.hpp"
#include "goban/adjoint/sweep_of_nodes.hpp"
#include "goban/stencil/graph/recorder.hpp"

namespace goban::detail {
namespace {

using Kind = ColumnRead::Kind;
using Sweep = ColumnRecord::Sweep;
using Assignments = std::vector<NodeAssignment>;

ElementType type_of_bytes(int bytes) {
  return bytes == 8 ? ElementType::float64 : ElementType::float32;
}

StageArgument scratch_argument() {
  return {StageArgument::Kind::scratch, Access::inout, nullptr, nullptr, nullptr};
}

/// Values of levels that derivatives depend on: a field of each sweep holds scratch, a field like
/// it what the forward sweep leaves in a field for the backward one.
class ColumnValues {
 public:
  ColumnValues(const ColumnRecord& record, const StepSweep& sweep, AdjointFields& fields,
               std::vector<StageArgument>& parameters)
      : record_(record), sweep_(sweep), fields_(fields), parameters_(parameters) {
    for (Kept* kept : {&forward_, &backward_}) {
      kept->parameter = static_cast<int>(parameters_.size());
      parameters_.emplace_back();
    }
  }

  /// What reads a value of a level in place of `leaf`.
  GraphNode read_in_place_of(const Sweep& by, GraphNode leaf) {
    const ColumnRead one = record_.read(by, leaf);
    if (one.kind == Kind::field) return leaf;
    if (!record_.is_scratch(one.output)) {
      require(one.output);
      leaf.data[0] = like_.at(leaf.data[0]);
      return leaf;
    }
    const bool is_before = one.kind == Kind::before, is_forward = &by == &record_.forward;
    Kept& kept =
        is_before && !is_forward && record_.backward.assigns(one.output) ? backward_ : forward_;
    const int component = require(kept, one.output);
    leaf.data = {kept.parameter, component};
    if (is_before) leaf.data[2 + axis()] = is_forward ? -1 : 1;
    return leaf;
  }

  /// The stage that computes them; null: none is needed. To be called when all have been asked for.
  std::shared_ptr<Stage> stage(SweepOfNodes sweep, std::vector<StageArgument>& made) {
    if (forward_.component.empty() && backward_.component.empty() && like_.empty()) return nullptr;
    std::set<int> of_backward = outputs_of(backward_), of_forward = outputs_of(forward_);
    for (const auto& [parameter, copy] : like_) add_field(static_cast<int>(parameter), of_forward);
    add_what_makes(of_backward, of_forward);
    declare(forward_, "levels going forth", made);
    declare(backward_, "levels going back", made);
    for (const auto& [parameter, copy] : like_) made.push_back(parameters_[index(copy)]);
    GraphArithmetic there = record_.forward.graph, back = record_.backward.graph;
    const Assignments forth = assignments(record_.forward, there, of_forward, forward_);
    const Assignments returned = assignments(record_.backward, back, of_backward, backward_);
    sweep.name = "levels of " + sweep_.stage->name;
    return column_stage(sweep, sweep_.stage->columns->axis, record_.scratch_description,
                        {&there.graph(), forth}, {&back.graph(), returned});
  }

 private:
  struct Kept {
    int parameter = -1;
    std::map<int, int> component{};  ///< the component for each output
  };

  static std::size_t index(std::int64_t n) { return static_cast<std::size_t>(n); }
  std::size_t axis() const { return index(index_of(sweep_.stage->columns->axis)); }
  const Output& output(int n) const { return record_.outputs[index(n)]; }

  static int require(Kept& kept, int output) {
    return kept.component.try_emplace(output, static_cast<int>(kept.component.size()))
        .first->second;
  }
  /// A field that the forward sweep writes and the backward one reads.
  void require(int n) {
    const int parameter = output(n).parameter;
    if (like_.count(parameter) > 0) return;
    StageArgument argument = sweep_.arguments[index(parameter)];
    argument.field = fields_.make_copy(*argument.field);
    like_[parameter] = static_cast<std::int64_t>(parameters_.size());
    parameters_.push_back(argument);
  }

  static std::set<int> outputs_of(const Kept& kept) {
    std::set<int> outputs;
    for (const auto& [n, component] : kept.component) outputs.insert(n);
    return outputs;
  }
  void add_field(int parameter, std::set<int>& outputs) const {
    for (std::size_t n = 0; n < record_.outputs.size(); ++n) {
      if (record_.outputs[n].parameter == parameter) outputs.insert(static_cast<int>(n));
    }
  }

  /// Adds what these outputs of the two sweeps are made of.
  void add_what_makes(std::set<int>& of_backward, std::set<int>& of_forward) {
    std::size_t known = 0;
    do {
      known = of_backward.size() + of_forward.size();
      for (const Sweep* by : {&record_.backward, &record_.forward}) {
        for (const int n : by->needed_for(by == &record_.forward ? of_forward : of_backward)) {
          const ColumnRead one = record_.read(*by, by->graph.node(n));
          if (one.kind == Kind::field) continue;
          const bool is_of_backward = by == &record_.backward && one.kind == Kind::before &&
                                      record_.backward.assigns(one.output);
          (is_of_backward ? of_backward : of_forward).insert(one.output);
          if (record_.is_scratch(one.output)) continue;
          require(one.output);
          add_field(output(one.output).parameter, of_forward);
        }
      }
    } while (of_backward.size() + of_forward.size() > known);
  }

  void declare(const Kept& kept, const std::string& name, std::vector<StageArgument>& made) {
    if (kept.component.empty()) return;
    parameters_[index(kept.parameter)] =
        fields_.make(name + " of " + sweep_.stage->name, like_of(sweep_),
                     record_.scratch_description.type, static_cast<int>(kept.component.size()));
    made.push_back(parameters_[index(kept.parameter)]);
  }
  Assignments assignments(const Sweep& by, GraphArithmetic& graph, const std::set<int>& outputs,
                          const Kept& kept) const {
    Assignments all;
    for (const int n : outputs) {
      if (!by.assigns(n)) continue;
      const int node = rebuilt(graph, by.roots[index(n)], [&](GraphNode read) {
        const auto copy = like_.find(read.data[0]);
        const bool is_handed_over = record_.read(by, read).kind == Kind::level;
        if (copy != like_.end() && is_handed_over) read.data[0] = copy->second;
        return read;
      });
      if (record_.is_scratch(n)) {
        all.push_back({scratch_argument(), output(n).component, node});
      } else {
        all.push_back(
            {parameters_[index(like_.at(output(n).parameter))], output(n).component, node});
      }
      const auto found = kept.component.find(n);
      if (found != kept.component.end()) {
        all.push_back({parameters_[index(kept.parameter)], found->second, node});
      }
    }
    return all;
  }

  const ColumnRecord& record_;
  const StepSweep& sweep_;
  AdjointFields& fields_;
  std::vector<StageArgument>& parameters_;
  Kept forward_, backward_;
  std::map<std::int64_t, std::int64_t> like_;  ///< per parameter: that of the field like it
};

/// The adjoint of one column stage under construction.
class ColumnAdjoint {
 public:
  ColumnAdjoint(const StepSweep& sweep, AdjointFields& fields,
                const std::set<const FieldRecord*>& zero, const IsWanted& is_wanted)
      : sweep_(sweep),
        fields_(fields),
        zero_(zero),
        is_wanted_(is_wanted),
        record_(sweep),
        active_(record_.active(is_wanted)),
        parameters_(sweep.arguments),
        values_(record_, sweep, fields, parameters_) {
    scratch_ = add_parameter(scratch_argument());
  }

  ColumnProducts make() {
    GraphArithmetic forth = record_.backward.graph, back = record_.forward.graph;
    const Assignments rising = go_forth(forth);
    const Assignments falling = go_back(back);
    if (rising.empty() && falling.empty()) return {};
    const SweepOfNodes sweep = {"adjoint of " + sweep_.stage->name, nullptr, &parameters_,
                                offset_of(sweep_), field_of(sweep_)};
    const auto levels = values_.stage(sweep, made_.made);
    if (levels) made_.stages.push_back(levels);
    const ParameterDescription kept{ParameterDescription::Kind::scratch, Access::inout,
                                    scratch_type(), static_cast<int>(slots_)};
    made_.stages.push_back(column_stage(sweep, sweep_.stage->columns->axis, kept,
                                        {&forth.graph(), rising}, {&back.graph(), falling}));
    return std::move(made_);
  }

 private:
  static std::size_t index(std::int64_t n) { return static_cast<std::size_t>(n); }
  int add_parameter(const StageArgument& argument) {
    parameters_.push_back(argument);
    return static_cast<int>(parameters_.size()) - 1;
  }
  /// The type of what levels hand to each other: double, if any derivative is.
  ElementType scratch_type() const {
    bool is_double = false;
    for (const Sweep* by : {&record_.forward, &record_.backward}) {
      for (const int n : active_) {
        is_double =
            is_double || (by->assigns(n) && by->graph.node(by->roots[index(n)]).type.bytes == 8);
      }
    }
    return type_of_bytes(is_double ? 8 : 4);
  }
  int scratch_bytes() const { return scratch_type() == ElementType::float64 ? 8 : 4; }

  int slot(std::map<int, int>& slots, int output) {
    const auto [known, is_new] = slots.try_emplace(output, slots_);
    if (is_new) ++slots_;
    return known->second;
  }
  int read_scratch(GraphArithmetic& graph, int slot, bool is_before, int bytes) const {
    const int read = graph.add_node({GraphOp::read,
                                     Recorder::graph_type(scratch_type()),
                                     {-1, -1, -1},
                                     {scratch_, slot, 0, 0, 0, is_before ? 1 : 0}});
    return graph.convert(read, bytes);
  }
  void assign(GraphArithmetic& graph, const Sweep& by, int slot, int node,
              Assignments& assignments) {
    assignments.push_back(
        {scratch_argument(), slot, graph.convert(with_values(graph, by, node), scratch_bytes())});
  }
  int with_values(GraphArithmetic& graph, const Sweep& by, int node) {
    return rebuilt(graph, node, [&](const GraphNode& read) {
      return read.data[0] == scratch_ ? read : values_.read_in_place_of(by, read);
    });
  }

  /// The factor of an output that is a component of a field: its adjoint.
  std::vector<int> adjoint_of(GraphArithmetic& graph, int n) {
    const Output& output = record_.outputs[index(n)];
    const StageArgument& written = sweep_.arguments[index(output.parameter)];
    if (!written.field || !fields_.knows(written.field)) return {};
    const StageArgument adjoint = fields_.of(written.field);
    if (zero_.count(adjoint.field.get()) > 0) return {};
    const auto [known, is_new] = adjoints_.try_emplace(adjoint.field.get());
    if (is_new) known->second = add_parameter(adjoint);
    return {graph.add_node({GraphOp::read,
                            Recorder::graph_type(adjoint.field->type),
                            {-1, -1, -1},
                            {known->second, output.component}})};
  }

  static void add_seeds(GraphArithmetic& graph, int root, const std::vector<int>& nodes,
                        std::vector<Seed>& seeds) {
    for (const int node : nodes) seeds.push_back({root, {{node, graph.number(1, node)}}});
  }
  static void add(GraphArithmetic& graph, std::map<int, int>& sums, int n, int node) {
    const auto [known, is_new] = sums.try_emplace(n, node);
    if (!is_new)
      known->second = graph.add(known->second, graph.convert(node, bytes(graph, known->second)));
  }
  static int bytes(const GraphArithmetic& graph, int node) { return graph.node(node).type.bytes; }

  std::set<int> handed_on(const Sweep& by) const {
    std::set<int> found;
    for (const int n : record_.outputs_read(by, Kind::before)) {
      if (active_.count(n) > 0) found.insert(n);
    }
    return found;
  }

  /// What a sweep's seeds become: sums for levels, and products.
  struct Derived {
    std::map<int, int> before{}, level{};
    std::vector<std::pair<GraphNode, int>> products{};
  };
  Derived derive(GraphArithmetic& graph, const Sweep& by, const std::vector<Seed>& seeds) {
    Derived made;
    const IsWanted is_derived = record_.is_derived(by, active_, is_wanted_);
    for (const auto& [leaf, terms] : reverse_derivatives(graph, seeds, is_derived)) {
      const GraphNode node = graph.node(leaf);
      const ColumnRead read = record_.read(by, node);
      const int sum = node_of(graph, terms);
      if (read.kind == Kind::before) add(graph, made.before, read.output, sum);
      if (read.kind == Kind::level) add(graph, made.level, read.output, sum);
      if (read.kind == Kind::field) made.products.emplace_back(node, sum);
    }
    return made;
  }

  /// The adjoint of the backward sweep.
  Assignments go_forth(GraphArithmetic& graph) {
    const Sweep& by = record_.backward;
    std::vector<Seed> seeds;
    for (int n = 0; n < static_cast<int>(record_.outputs.size()); ++n) {
      if (by.assigns(n)) add_seeds(graph, by.roots[index(n)], adjoint_of(graph, n), seeds);
    }
    if (seeds.empty()) return {};
    const std::set<int> handed = handed_on(by);
    std::map<int, int> slots, held;
    for (const int n : handed) {
      const int from = slot(slots, n);
      if (!by.assigns(n)) continue;
      const int root = by.roots[index(n)];
      add_seeds(graph, root, {read_scratch(graph, from, true, bytes(graph, root))}, seeds);
    }
    Derived made = derive(graph, by, seeds);
    Assignments assignments;
    for (const int n : handed) {
      const auto found = made.before.find(n);
      const int sum = found != made.before.end() ? found->second : zero(graph);
      assign(graph, by, slots.at(n), sum, assignments);
      if (!by.assigns(n)) {
        add(graph, made.level, n, read_scratch(graph, slots.at(n), true, scratch_bytes()));
      }
    }
    for (const auto& [n, sum] : made.level) {
      assign(graph, by, slot(level_slots_, n), sum, assignments);
      held_.insert(n);
    }
    store(graph, by, made.products, assignments);
    return assignments;
  }

  /// The adjoint of the forward sweep.
  Assignments go_back(GraphArithmetic& graph) {
    const Sweep& by = record_.forward;
    const std::set<int> handed = handed_on(by);
    std::vector<Seed> seeds;
    for (int n = 0; n < static_cast<int>(record_.outputs.size()); ++n) {
      if (!by.assigns(n)) continue;
      const int root = by.roots[index(n)];
      add_seeds(graph, root, adjoint_of(graph, n), seeds);
      if (held_.count(n) == 0) continue;
      const int held = read_scratch(graph, level_slots_.at(n), false, bytes(graph, root));
      add_seeds(graph, root, {held}, seeds);
    }
    if (seeds.empty()) return {};
    for (const int n : handed) {
      const int root = by.roots[index(n)];
      const int from = slot(level_slots_, n);
      add_seeds(graph, root, {read_scratch(graph, from, true, bytes(graph, root))}, seeds);
    }
    Derived made = derive(graph, by, seeds);
    Assignments assignments;
    for (const int n : handed) {
      const auto found = made.before.find(n);
      const int sum = found != made.before.end() ? found->second : zero(graph);
      assign(graph, by, level_slots_.at(n), sum, assignments);
    }
    store(graph, by, made.products, assignments);
    return assignments;
  }

  int zero(GraphArithmetic& graph) const {
    return graph.add_node({GraphOp::constant, GraphType::of<double>(false)});
  }

  /// A field holds the products of a sweep, of each size of numbers.
  void store(GraphArithmetic& graph, const Sweep& by,
             const std::vector<std::pair<GraphNode, int>>& products, Assignments& assignments) {
    std::map<int, std::vector<std::pair<GraphNode, int>>> of_bytes;
    for (const auto& one : products) of_bytes[bytes(graph, one.second)].push_back(one);
    for (const auto& [size, all] : of_bytes) {
      const StageArgument made = fields_.make("products of " + sweep_.stage->name, like_of(sweep_),
                                              type_of_bytes(size), static_cast<int>(all.size()));
      made_.made.push_back(made);
      for (std::size_t c = 0; c < all.size(); ++c) {
        const auto& [leaf, node] = all[c];
        made_.reads.push_back({leaf, made, static_cast<int>(c)});
        assignments.push_back({made, static_cast<int>(c), with_values(graph, by, node)});
      }
    }
  }

  const StepSweep& sweep_;
  AdjointFields& fields_;
  const std::set<const FieldRecord*>& zero_;
  const IsWanted& is_wanted_;
  ColumnRecord record_;
  std::set<int> active_;
  std::vector<StageArgument> parameters_;
  ColumnValues values_;
  int scratch_ = -1, slots_ = 0;
  std::map<const FieldRecord*, int> adjoints_;  ///< their parameters
  std::map<int, int> level_slots_;
  std::set<int> held_;  ///< outputs of the forward sweep that the way forth has adjoints of
  ColumnProducts made_;
};

}  // namespace

ColumnProducts column_products(const StepSweep& sweep, AdjointFields& fields,
                               const std::set<const FieldRecord*>& zero,
                               const IsWanted& is_wanted) {
  return ColumnAdjoint(sweep, fields, zero, is_wanted).make();
}

}  // namespace goban::detail
