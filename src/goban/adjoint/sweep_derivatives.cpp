#include "goban/adjoint/sweep_derivatives.hpp"

#include <algorithm>

#include "goban/adjoint/column_adjoint.hpp"
#include "goban/base/error.hpp"
#include "goban/stencil/graph/branches.hpp"
#include "goban/stencil/graph/recorder.hpp"

namespace goban::detail {
namespace {

class Finder {
 public:
  Finder(const StepSweep& sweep, AdjointFields& fields, const AdjointNumbers& numbers,
         const std::set<const FieldRecord*>& zero, const FieldSet& active)
      : sweep_(sweep),
        fields_(fields),
        numbers_(numbers),
        zero_(zero),
        active_(active),
        made_{GraphArithmetic(sweep.stage->columns
                                  ? Graph()
                                  : without_branches(*sweep.stage->graph, sweep.stage->footprint)),
              sweep.arguments} {}

  std::optional<SweepDerivatives> of_columns() {
    if (!has_adjoints()) return {};
    ColumnProducts products = column_products(sweep_, fields_, zero_, is_wanted());
    std::map<const FieldRecord*, int> parameter_of;
    for (const ProductOfRead& one : products.reads) {
      const auto [known, is_new] = parameter_of.try_emplace(one.product.field.get());
      if (is_new) known->second = made_.add_parameter(one.product);
      const int node = made_.read(known->second, *one.product.field, one.component);
      made_.kept.insert(node);
      add(one.leaf, {{node, made_.graph.number(1, node)}});
    }
    if (!products.reads.empty()) made_.stages = std::move(products.stages);
    made_.made = std::move(products.made);
    return finished();
  }

  std::optional<SweepDerivatives> of_cells() {
    const std::map<Location, std::vector<Seed>> seeds = find_seeds();
    if (seeds.empty()) return {};
    std::vector<Seed> all;
    for (const auto& [place, some] : seeds) all.insert(all.end(), some.begin(), some.end());
    for (const auto& [place, some] : seeds) {
      place_ = place;
      derive(some, [this](const StageArgument& one) { return one.parameter != nullptr; });
    }
    derive(all, [](const StageArgument& one) { return one.field != nullptr; });
    return finished();
  }

  SweepDerivatives of_sum(const std::shared_ptr<ParameterRecord>& adjoint) {
    const int root = roots().front(), one = made_.graph.number(1, root);
    if (!adjoint) return derived({{root, {{-1, one}}}});
    const int parameter =
        made_.add_parameter({StageArgument::Kind::value, Access::in, nullptr, nullptr, adjoint});
    const int value = made_.graph.add_node(
        {GraphOp::value, GraphType::of<double>(false), {-1, -1, -1}, {parameter}});
    const int factor = made_.graph.convert(value, made_.graph.node(root).type.bytes);
    return derived({{root, {{-1, factor}}}});
  }

  SweepDerivatives weighted(const StageArgument& weight, int component) {
    const int root = roots().front(), bytes = made_.graph.node(root).type.bytes;
    const int read = made_.read(made_.add_parameter(weight), *weight.field, component);
    made_.direct.insert(read);
    const int factor = made_.graph.convert(read, bytes);
    return derived({{root, {{factor, made_.graph.number(1, factor)}}}});
  }

 private:
  const StageArgument& argument(const GraphNode& leaf) const {
    return sweep_.arguments[static_cast<std::size_t>(leaf.data[0])];
  }
  IsWanted is_wanted() const {
    return [this](const GraphNode& leaf) {
      const StageArgument& one = argument(leaf);
      return one.parameter ? numbers_.count(one.parameter) > 0
                           : one.field && active_.count(one.field) > 0;
    };
  }

  bool has_adjoints() const {
    return std::any_of(sweep_.arguments.begin(), sweep_.arguments.end(), [&](const auto& one) {
      return one.field && one.access != Access::in && fields_.knows(one.field) &&
             zero_.count(fields_.of(one.field).field.get()) == 0;
    });
  }

  std::vector<int> roots() const { return made_.graph.graph().branches().front().outputs; }

  SweepDerivatives derived(const std::vector<Seed>& seeds) {
    derive(seeds, [](const StageArgument&) { return true; });
    return finished();
  }
  /// With respect to some of the arguments.
  template <class Some>
  void derive(const std::vector<Seed>& seeds, const Some& some) {
    const IsWanted wanted = is_wanted();
    const auto both = [&](const GraphNode& leaf) { return some(argument(leaf)) && wanted(leaf); };
    for (const auto& [leaf, terms] : reverse_derivatives(made_.graph, seeds, both)) {
      add(made_.graph.node(leaf), terms);
    }
  }

  /// The adjoint of each output, at the place that it is computed at.
  std::map<Location, std::vector<Seed>> find_seeds() {
    const std::vector<int> roots = this->roots();
    std::map<Location, std::vector<Seed>> seeds;
    std::map<const FieldRecord*, int> parameter_of;
    const auto& outputs = sweep_.stage->footprint.outputs;
    for (std::size_t n = 0; n < outputs.size(); ++n) {
      const StageArgument& output =
          sweep_.arguments[static_cast<std::size_t>(outputs[n].parameter)];
      if (!output.field || !fields_.knows(output.field)) continue;
      const StageArgument adjoint = fields_.of(output.field);
      if (zero_.count(adjoint.field.get()) > 0) continue;
      const auto [known, is_new] = parameter_of.try_emplace(adjoint.field.get());
      if (is_new) known->second = made_.add_parameter(adjoint);
      const int node = made_.read(known->second, *adjoint.field, outputs[n].component);
      seeds[output.field->location].push_back({roots[n], {{node, made_.graph.number(1, node)}}});
      if (output.access == Access::out && sweep_.covers_everything()) made_.direct.insert(node);
    }
    return seeds;
  }

  /// Adds what a read or the value of a parameter contributes.
  void add(const GraphNode& leaf, const Terms& terms) {
    const StageArgument& one = argument(leaf);
    if (one.parameter) {
      const int sum = node_of(made_.graph, terms);
      int& all = made_.of_parameter[one.parameter].try_emplace(place_, -1).first->second;
      all =
          all < 0 ? sum : made_.graph.add(made_.graph.convert(all, 8), made_.graph.convert(sum, 8));
      return;
    }
    auto& field = of_field_.try_emplace(one.field, FieldContributions{one.field}).first->second;
    add(field.of_component[static_cast<int>(leaf.data[1])],
        {{static_cast<int>(leaf.data[2]), static_cast<int>(leaf.data[3]),
          static_cast<int>(leaf.data[4])},
         terms});
  }
  static void add(std::vector<Contribution>& all, const Contribution& contribution) {
    for (Contribution& one : all) {
      if (one.offset != contribution.offset) continue;
      one.terms.insert(one.terms.end(), contribution.terms.begin(), contribution.terms.end());
      return;
    }
    all.push_back(contribution);
  }

  SweepDerivatives finished() {
    for (const StageArgument& one : sweep_.arguments) {  // in the order of the functor
      if (!one.field) continue;
      const auto found = of_field_.extract(one.field);
      if (!found) continue;
      add_reads(found.mapped());
      check_place(one, found.mapped());
      auto& all = found.mapped().reads.are_local() ? made_.local : made_.gathered;
      all.push_back(std::move(found.mapped()));
    }
    return std::move(made_);
  }

  void add_reads(FieldContributions& of) const {
    of.reads.location = of.field->location;
    for (const auto& [component, all] : of.of_component) {
      for (const Contribution& read : all) of.reads.offsets.push_back(read.offset);
    }
    const GridState& grid = *fields_.grid();
    for (int a = 0; a < 3; ++a) {
      if (grid.is_periodic(a)) continue;
      of.reads.excess[static_cast<std::size_t>(a)] =
          static_cast<int>(is_read_on_faces(*of.field, a)) -
          static_cast<int>(is_staggered(of.field->location, a));
    }
  }
  /// Whether something reads the field that is computed on faces across this axis.
  bool is_read_on_faces(const FieldRecord& field, int axis) const {
    if (sweep_.stage->columns || sweep_.stage->kind == Stage::Kind::reduce) {
      return is_staggered(location_of(sweep_), axis);
    }
    const std::vector<int> all = roots();
    const auto& outputs = sweep_.stage->footprint.outputs;
    for (std::size_t n = 0; n < outputs.size(); ++n) {
      const FieldPointer& output =
          sweep_.arguments[static_cast<std::size_t>(outputs[n].parameter)].field;
      if (!output || !is_staggered(output->location, axis)) continue;
      for (const int node : made_.graph.graph().needed_for({all[n]})) {
        const GraphNode& one = made_.graph.node(node);
        if (one.op == GraphOp::read && argument(one).field.get() == &field) return true;
      }
    }
    return false;
  }
  /// A field that is written and read has its old value at each place.
  void check_place(const StageArgument& one, const FieldContributions& made) const {
    require(one.access == Access::in || made.reads.are_local(),
            "no derivatives of stage '" + sweep_.stage->name + "'",
            "it reads '" + one.name() + "', which it writes, on the faces of other cells",
            "write another field");
  }

  const StepSweep& sweep_;
  AdjointFields& fields_;
  const AdjointNumbers& numbers_;
  const std::set<const FieldRecord*>& zero_;
  const FieldSet& active_;
  Location place_ = location_of(sweep_);
  SweepDerivatives made_;
  FieldMap<FieldContributions> of_field_;
};

}  // namespace

int SweepDerivatives::add_parameter(const StageArgument& argument) {
  parameters.push_back(argument);
  return static_cast<int>(parameters.size()) - 1;
}

int SweepDerivatives::read(int parameter, const FieldRecord& field, int component,
                           const std::array<int, 3>& offset) {
  return graph.add_node({GraphOp::read,
                         Recorder::graph_type(field.type),
                         {-1, -1, -1},
                         {parameter, component, offset[0], offset[1], offset[2]}});
}

std::optional<SweepDerivatives> derivatives_of(const StepSweep& sweep, AdjointFields& fields,
                                               const AdjointNumbers& numbers,
                                               const std::set<const FieldRecord*>& zero,
                                               const FieldSet& active) {
  Finder finder(sweep, fields, numbers, zero, active);
  return sweep.stage->columns ? finder.of_columns() : finder.of_cells();
}

SweepDerivatives derivatives_of_sum(const StepSweep& sweep, AdjointFields& fields,
                                    const AdjointNumbers& numbers,
                                    const std::set<const FieldRecord*>& zero,
                                    const FieldSet& active,
                                    const std::shared_ptr<ParameterRecord>& adjoint) {
  return Finder(sweep, fields, numbers, zero, active).of_sum(adjoint);
}

SweepDerivatives derivatives_of_weighted(const StepSweep& sweep, AdjointFields& fields,
                                         const AdjointNumbers& numbers,
                                         const std::set<const FieldRecord*>& zero,
                                         const FieldSet& active, const StageArgument& weight,
                                         int component) {
  return Finder(sweep, fields, numbers, zero, active).weighted(weight, component);
}

}  // namespace goban::detail
