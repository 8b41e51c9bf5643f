#include "goban/adjoint/sweep_adjoint.hpp"

#include <algorithm>
#include <cstdlib>

#include "goban/adjoint/mirrored_ends.hpp"
#include "goban/adjoint/moved_nodes.hpp"
#include "goban/adjoint/sweep_derivatives.hpp"
#include "goban/adjoint/sweep_of_nodes.hpp"
#include "goban/program/program.hpp"
#include "goban/stencil/graph/recorder.hpp"

namespace goban::detail {
namespace {

using Stages = std::vector<std::shared_ptr<Stage>>;

std::shared_ptr<Stage> clearing_stage(const StageArgument& field,
                                      const std::vector<int>& components) {
  Graph graph;
  GraphType type = Recorder::graph_type(field.field->type);
  type.varies = false;
  const int zero = graph.add({GraphOp::constant, type});
  std::vector<NodeAssignment> assignments;
  for (const int c : components) assignments.push_back({field, c, zero});
  const std::vector<StageArgument> none;
  return assigning_stage({"no " + field.field->name, &graph, &none}, assignments);
}

/// The stages of the adjoint of one sweep.
class Reversal {
 public:
  Reversal(AdjointFields& fields, const AdjointNumbers& numbers, std::set<const FieldRecord*>& zero,
           const StepSweep& sweep, SweepDerivatives derivatives, bool is_of_reduction)
      : fields_(fields),
        numbers_(numbers),
        zero_(zero),
        sweep_(sweep),
        of_(std::move(derivatives)),
        graph_(of_.graph),
        is_of_reduction_(is_of_reduction) {}

  Stages make() {
    add_kept();
    for (const StageArgument& one : sweep_.arguments) {
      const auto found = of_.of_parameter.extract(one.parameter);
      if (!found) continue;
      for (const auto& [place, sum] : found.mapped()) add_parameter(found.key(), place, sum);
    }
    add_local_sweep();
    add_gathers();
    for (const auto* all : {&of_.local, &of_.gathered}) {
      for (const FieldContributions& one : *all) {
        const auto held = SweepAdjoint(fields_, numbers_, {}).clear_held_faces(one.field);
        stages_.insert(stages_.end(), held.begin(), held.end());
      }
    }
    zero_.insert(renewed_.begin(), renewed_.end());
    return std::move(stages_);
  }

 private:
  bool is_written(const StageArgument& argument) const {
    return argument.field && argument.access != Access::in && fields_.knows(argument.field);
  }
  const StageArgument& argument(std::int64_t parameter) const {
    return of_.parameters[static_cast<std::size_t>(parameter)];
  }

  SweepOfNodes sweep_of(const std::string& what) const {
    return {what + " of " + sweep_.stage->name, &graph_.graph(), &of_.parameters, offset_of(sweep_),
            field_of(sweep_)};
  }
  /// Limits a stage to the cells of the sweep.
  void add_stage(const std::shared_ptr<Stage>& stage) {
    stage->region = sweep_.stage->region;
    stage->mask = sweep_.mask;
    stages_.push_back(stage);
  }

  void add_parameter(const std::shared_ptr<ParameterRecord>& parameter, Location place, int sum) {
    const Parameter<double> part("part of adjoint " + parameter->name);
    SweepOfNodes sums = sweep_of("sums");
    sums.anchor =
        *std::find_if(of_.parameters.rbegin(), of_.parameters.rend(),
                      [&](const auto& one) { return one.field && one.field->location == place; });
    add_stage(summing_stage(sums, sum, part.record()));
    Program added("adjoint " + parameter->name);
    added.compute([](auto part, auto& all) { all += part; }, in(part),
                  inout(Parameter<double>(numbers_.at(parameter))));
    stages_.push_back(added.stages().front());
  }

  /// Values that have been computed already, and are 0 in cells that the sweep leaves out.
  void add_kept() {
    for (const StageArgument& one : of_.made) {
      if (!sweep_.covers_everything()) clear_first(one);
    }
    for (const auto& stage : of_.stages) add_stage(stage);
    moved_ = of_.kept;
  }

  /// Products with derivatives that vary, where the functor is evaluated, and all that needs no
  /// neighbours.
  void add_local_sweep() {
    std::vector<NodeAssignment> assignments;
    find_shifts();
    for (const FieldContributions& one : of_.gathered) {
      for (const auto& [component, all] : one.of_component) {
        for (const Contribution& contribution : all) {
          for (const Term& term : contribution.terms) store(term);
        }
      }
    }
    declare_products(assignments);
    for (const FieldContributions& one : of_.local) assign_local(one, assignments);
    clear_outputs(assignments);
    if (assignments.empty()) return;
    if (!sweep_.covers_everything()) {
      for (const NodeAssignment& one : assignments) {
        if (products_of_type_.count(one.to.field->type) > 0 &&
            products_of_type_[one.to.field->type].field == one.to.field) {
          clear_first(one.to);
        }
      }
    }
    add_stage(assigning_stage(sweep_of("adjoint products"), assignments));
  }

  /// Finds from where each term is read.
  void find_shifts() {
    for (const FieldContributions& one : of_.gathered) {
      const std::vector<MirroredCells> ends = mirrored_ends(*fields_.grid(), one.reads);
      for (const auto& [component, all] : one.of_component) {
        for (const Contribution& read : all) {
          std::vector<std::array<int, 3>> shifts{
              {-read.offset[0], -read.offset[1], -read.offset[2]}};
          for (const MirroredCells& cells : ends) {
            if (const auto shift = cells.shift(read.offset)) shifts.push_back(*shift);
          }
          for (const Term& term : read.terms) {
            auto& known = shifts_[term.node];
            known.insert(known.end(), shifts.begin(), shifts.end());
          }
        }
      }
    }
    for (const auto& [node, shifts] : shifts_) {
      if (node >= 0 && may_be_moved(node, shifts)) moved_.insert(node);
    }
  }

  /// Whether a term is computed where it is read: the adjoint fields in it do not change meanwhile.
  bool may_be_moved(int node, const std::vector<std::array<int, 3>>& shifts) const {
    if (!sweep_.covers_everything()) return false;
    std::array<int, 3> reach{};
    for (const Read& read : sweep_.stage->footprint.reads) {
      for (std::size_t a = 0; a < 3; ++a) reach[a] = std::max(reach[a], std::abs(read.offset[a]));
    }
    for (const int n : graph_.graph().needed_for({node})) {
      const GraphNode& one = graph_.node(n);
      const bool is_adjoint =
          one.op == GraphOp::read && fields_.has(argument(one.data[0]).field.get());
      if (is_adjoint && of_.direct.count(n) == 0) return false;
    }
    const GridState& grid = *fields_.grid();
    const Beyond beyond = grid.is_periodic(0) && grid.is_periodic(1) && grid.is_periodic(2)
                              ? Beyond::cells
                          : is_of_reduction_ ? Beyond::nothing
                                             : Beyond::zero_factor;
    return detail::may_be_moved(graph_.graph(), node, shifts, reach, beyond);
  }
  bool is_moved(const Term& term) const { return moved_.count(term.node) > 0; }

  void store(const Term& term) {
    if (is_moved(term)) return;
    const int node = term.node < 0 ? graph_.number(1, term.weight) : term.node;
    const int bytes = graph_.node(node).type.bytes;
    auto& nodes = stored_[bytes];
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  }

  void declare_products(std::vector<NodeAssignment>& assignments) {
    const FieldRecord like = like_of(sweep_);
    for (const auto& [bytes, nodes] : stored_) {
      const ElementType type = bytes == 8 ? ElementType::float64 : ElementType::float32;
      const StageArgument made = fields_.make("products of " + sweep_.stage->name, like, type,
                                              static_cast<int>(nodes.size()));
      products_of_type_[type] = made;
      product_parameter_[bytes] = of_.add_parameter(made);
      for (std::size_t c = 0; c < nodes.size(); ++c) {
        assignments.push_back({made, static_cast<int>(c), nodes[c]});
      }
    }
  }

  /// Writes 0 everywhere to a field that the sweep writes in some cells.
  void clear_first(const StageArgument& field) {
    if (!cleared_.insert(field.field.get()).second) return;
    const auto made = SweepAdjoint(fields_, numbers_, {}).clear(field);
    stages_.insert(stages_.end(), made.begin(), made.end());
  }

  bool is_inout(const FieldPointer& field) const {
    return std::any_of(sweep_.arguments.begin(), sweep_.arguments.end(), [&](const auto& one) {
      return one.field == field && one.access == Access::inout;
    });
  }

  /// The old value of an adjoint field at the cell; -1: it is 0.
  int old_value(const StageArgument& adjoint, int parameter, int component) {
    if (zero_.count(adjoint.field.get()) > 0) return -1;
    return of_.read(parameter, *adjoint.field, component, {});
  }

  void assign_local(const FieldContributions& one, std::vector<NodeAssignment>& assignments) {
    if (is_inout(one.field)) return;  // see clear_outputs
    const StageArgument adjoint = fields_.of(one.field);
    const bool was_zero = zero_.count(adjoint.field.get()) > 0;
    if (was_zero && !sweep_.covers_everything()) {
      clear_first(adjoint);
      zero_.erase(adjoint.field.get());
      return assign_local(one, assignments);
    }
    const int parameter = of_.add_parameter(adjoint);
    for (int c = 0; c < adjoint.field->components; ++c) {
      const auto found = one.of_component.find(c);
      if (found == one.of_component.end() && !was_zero) continue;
      const int old = old_value(adjoint, parameter, c);
      int sum = old;
      if (found == one.of_component.end()) {
        sum = graph_.number(0, of_.read(parameter, *adjoint.field, c, {}));
      } else {
        const int made = node_of(graph_, found->second.front().terms);
        sum = old < 0 ? made : graph_.add(old, made);
      }
      assignments.push_back({adjoint, c, sum});
    }
    zero_.erase(adjoint.field.get());
  }

  /// The adjoint of what the sweep overwrites is what came of its old value: nothing, but for an
  /// inout. Where the sweep covers everything, the first is done by whoever adds to the
  /// field next.
  void clear_outputs(std::vector<NodeAssignment>& assignments) {
    for (std::size_t n = 0; n < sweep_.arguments.size(); ++n) {
      const StageArgument& output = sweep_.arguments[n];
      if (!is_written(output)) continue;
      const StageArgument adjoint = fields_.of(output.field);
      const auto found =
          std::find_if(of_.local.begin(), of_.local.end(),
                       [&](const FieldContributions& one) { return one.field == output.field; });
      if (found == of_.local.end()) {
        if (sweep_.covers_everything()) renewed_.push_back(adjoint.field.get());
        if (sweep_.covers_everything() || zero_.count(adjoint.field.get()) > 0) continue;
      } else if (zero_.erase(adjoint.field.get()) > 0 && !sweep_.covers_everything()) {
        clear_first(adjoint);
      }
      const int parameter = of_.add_parameter(adjoint);
      for (int c = 0; c < adjoint.field->components; ++c) {
        const int old = of_.read(parameter, *adjoint.field, c, {});
        int made = graph_.number(0, old);
        if (found != of_.local.end() && found->of_component.count(c) > 0) {
          made = node_of(graph_, found->of_component.at(c).front().terms);
        }
        if (!is_same_read(made, old)) assignments.push_back({adjoint, c, made});
      }
    }
  }
  /// Both are the same value of a field, under two numbers of parameters.
  bool is_same_read(int a, int b) const {
    GraphNode one = graph_.node(a), other = graph_.node(b);
    if (one.op != GraphOp::read || other.op != GraphOp::read) return false;
    if (argument(one.data[0]).field != argument(other.data[0]).field) return false;
    one.data[0] = other.data[0];
    return one == other;
  }

  /// The value of a term at an offset.
  int read_term(const Term& term, const std::array<int, 3>& offset) {
    if (is_moved(term)) return moved(graph_, term.node, offset);
    const int node = term.node < 0 ? graph_.number(1, term.weight) : term.node;
    const int bytes = graph_.node(node).type.bytes;
    const auto& nodes = stored_.at(bytes);
    const auto at = std::find(nodes.begin(), nodes.end(), node) - nodes.begin();
    const int parameter = product_parameter_.at(bytes);
    return of_.read(parameter, *argument(parameter).field, static_cast<int>(at), offset);
  }

  /// The sum of contributions: those of one weight are added before they are multiplied by it.
  int gathered_sum(const std::vector<Contribution>& all) {
    std::vector<std::pair<int, int>> of_weight;
    for (const Contribution& one : all) {
      for (const Term& term : one.terms) {
        const int value = read_term(term, one.offset);
        const auto same = std::find_if(of_weight.begin(), of_weight.end(), [&](const auto& other) {
          return other.first == term.weight;
        });
        if (same == of_weight.end()) {
          of_weight.emplace_back(term.weight, value);
        } else {
          same->second = graph_.add(same->second, value);
        }
      }
    }
    int sum = -1;
    for (const auto& [weight, values] : of_weight) {
      const int product = graph_.multiply(weight, values);
      sum = sum < 0 ? product : graph_.add(sum, product);
    }
    return sum;
  }

  /// One sweep adds to all fields whose neighbours were read.
  void add_gathers() {
    std::vector<NodeAssignment> assignments;
    std::vector<int> parameters;
    for (const FieldContributions& one : of_.gathered) {
      check_ends(*one.field, *sweep_.stage);
      parameters.push_back(of_.add_parameter(fields_.of(one.field)));
      add_gathers(one, parameters.back(), assignments);
    }
    if (assignments.empty()) return;
    stages_.push_back(assigning_stage(sweep_of("adjoint"), assignments));
    for (std::size_t n = 0; n < of_.gathered.size(); ++n) add_ends(of_.gathered[n], parameters[n]);
  }

  void add_gathers(const FieldContributions& one, int parameter,
                   std::vector<NodeAssignment>& assignments) {
    const StageArgument adjoint = fields_.of(one.field);
    const bool was_zero = zero_.erase(adjoint.field.get()) > 0;
    for (int c = 0; c < adjoint.field->components; ++c) {
      const auto found = one.of_component.find(c);
      const int old = of_.read(parameter, *adjoint.field, c, {});
      if (found == one.of_component.end()) {
        if (was_zero) assignments.push_back({adjoint, c, graph_.number(0, old)});
        continue;
      }
      std::vector<Contribution> mirrored = found->second;
      for (Contribution& read : mirrored) {
        for (int& along : read.offset) along = -along;
      }
      const int sum = gathered_sum(mirrored);
      assignments.push_back({adjoint, c, was_zero ? sum : graph_.add(old, sum)});
    }
  }

  /// What was read beyond the ends of the grid was made of values inside.
  void add_ends(const FieldContributions& one, int parameter) {
    const StageArgument adjoint = fields_.of(one.field);
    for (const MirroredCells& cells : mirrored_ends(*fields_.grid(), one.reads)) {
      std::vector<NodeAssignment> assignments;
      for (const auto& [component, all] : one.of_component) {
        const double weight =
            cells.weight(one.field->boundary[static_cast<std::size_t>(component)]);
        std::vector<Contribution> seen;
        for (const Contribution& read : all) {
          const auto shift = cells.shift(read.offset);
          if (weight != 0 && shift) seen.push_back({*shift, read.terms});
        }
        if (seen.empty()) continue;
        const int sum = gathered_sum(seen);
        const int old = of_.read(parameter, *adjoint.field, component, {});
        assignments.push_back({adjoint, component,
                               graph_.add(old, graph_.multiply(graph_.number(weight, sum), sum))});
      }
      if (assignments.empty()) continue;
      const auto stage = assigning_stage(sweep_of("adjoint at an end"), assignments);
      stage->region = cells.box;
      stages_.push_back(stage);
    }
  }

  AdjointFields& fields_;
  const AdjointNumbers& numbers_;
  std::set<const FieldRecord*>& zero_;
  const StepSweep& sweep_;
  SweepDerivatives of_;
  GraphArithmetic& graph_;
  bool is_of_reduction_;
  std::map<int, std::vector<std::array<int, 3>>> shifts_;  ///< per term: from where it is read
  std::set<int> moved_;  ///< terms that are computed where they are read, not stored
  std::map<int, std::vector<int>> stored_;  ///< per bytes of a value: nodes that are stored
  std::map<int, int> product_parameter_;
  std::map<ElementType, StageArgument> products_of_type_;
  std::set<const FieldRecord*> cleared_;
  std::vector<const FieldRecord*> renewed_;  ///< adjoint fields that are 0 once all have read them
  Stages stages_;
};

}  // namespace

Stages SweepAdjoint::reverse(const StepSweep& sweep, const FieldSet& active) {
  if (sweep.stage->kind == Stage::Kind::reduce) {
    const auto adjoint = numbers_.find(sweep.stage->target);
    if (adjoint == numbers_.end()) return {};
    return reverse_of_sum(sweep, active, adjoint->second);
  }
  auto derivatives = derivatives_of(sweep, fields_, numbers_, zero_, active);
  if (!derivatives) return {};
  return Reversal(fields_, numbers_, zero_, sweep, std::move(*derivatives), false).make();
}

Stages SweepAdjoint::reverse_of_sum(const StepSweep& sweep, const FieldSet& active,
                                    const std::shared_ptr<ParameterRecord>& adjoint) {
  auto derivatives = derivatives_of_sum(sweep, fields_, numbers_, zero_, active, adjoint);
  return Reversal(fields_, numbers_, zero_, sweep, std::move(derivatives), true).make();
}

Stages SweepAdjoint::reverse_of_weighted(const StepSweep& sweep, const FieldSet& active,
                                         const StageArgument& weight, int component) {
  auto derivatives =
      derivatives_of_weighted(sweep, fields_, numbers_, zero_, active, weight, component);
  return Reversal(fields_, numbers_, zero_, sweep, std::move(derivatives), false).make();
}

Stages SweepAdjoint::clear_held_faces(const FieldPointer& field) {
  Stages stages;
  for (const HeldFaces& faces : held_faces(*fields_.grid(), *field)) {
    const auto stage = clearing_stage(fields_.of(field), faces.components);
    stage->region = faces.box;
    stages.push_back(stage);
  }
  return stages;
}

std::vector<std::shared_ptr<Stage>> SweepAdjoint::clear(const StageArgument& field) {
  zero_.erase(field.field.get());
  std::vector<int> components;
  for (int c = 0; c < field.field->components; ++c) components.push_back(c);
  return {clearing_stage(field, components)};
}

}  // namespace goban::detail
