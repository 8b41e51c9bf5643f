// Stages and boundary conditions made of functors that were written in Python.

#include <bit>
#include <functional>
#include <optional>

#include "functors.hpp"
#include "goban/program/fuse_graphs.hpp"
#include "goban/program/program.hpp"
#include "goban/stencil/graph/graph_evaluator.hpp"

namespace {

using namespace goban;
using namespace goban::python;

ElementType element_named(const std::string& type) {
  return type == "int32"     ? ElementType::int32
         : type == "float32" ? ElementType::float32
                             : ElementType::float64;
}

std::vector<std::string> names_of(const std::vector<StageArgument>& arguments) {
  std::vector<std::string> names;
  for (const StageArgument& argument : arguments) names.push_back(argument.name());
  return names;
}

/// A functor and what stands for its parameters, {"name", "arguments", "sweeps"}: of arguments
/// {"object", "access"}: a field, {"object"}: a parameter or site, {"scratch", "count"}; of sweeps
/// the steps, of columns those forward and backward, one of which may be null.
struct DescribedFunctor {
  std::string name;
  std::vector<StageArgument> arguments;
  std::vector<ParameterDescription> parameters;
  std::vector<int> objects;  ///< what an argument is, among all; -1: scratch
  const Json& sweeps;

  DescribedFunctor(const Json& json, const std::vector<StageArgument>& all)
      : name(json.at("name")), sweeps(json.at("sweeps")) {
    for (const Json& argument : json.at("arguments")) add(argument, all);
  }

 private:
  void add(const Json& json, const std::vector<StageArgument>& all) {
    using Kind = ParameterDescription::Kind;
    if (const auto scratch = json.find("scratch"); scratch != json.end()) {
      objects.push_back(-1);
      arguments.push_back({StageArgument::Kind::scratch, Access::inout, nullptr, nullptr, nullptr});
      parameters.push_back(
          {Kind::scratch, Access::inout, element_named(*scratch), json.at("count")});
      return;
    }
    objects.push_back(json.at("object"));
    arguments.push_back(all[static_cast<std::size_t>(objects.back())]);
    StageArgument& argument = arguments.back();
    if (argument.field) {
      const std::string access = json.at("access");
      argument.access = access == "in" ? Access::in : access == "out" ? Access::out : Access::inout;
      parameters.push_back(
          {Kind::field, argument.access, argument.field->type, argument.field->components});
    } else {
      parameters.push_back({.kind = argument.parameter ? Kind::value : Kind::site});
    }
  }
};

RecordedSweep recorded_once(const DescribedFunctor& functor) {
  detail::GraphRecorder graph;
  return recorded({functor.sweeps[0], functor.parameters}, graph);
}

/// Order of the axes in the memory of its fields.
std::array<int, 3> order_of(const Stage& stage) {
  const FieldRecord* first = nullptr;
  for (const StageArgument& argument : stage.arguments) {
    if (!argument.field) continue;
    if (!first) first = argument.field.get();
    require(argument.field->order == first->order, "stage '" + stage.name + "' is refused",
            "the layouts of '" + first->name + "' and '" + argument.field->name + "' differ",
            "the fields of one stage share a layout");
  }
  return first ? first->order : ijk::order;
}

std::shared_ptr<Stage> stage_of(const DescribedFunctor& functor, RecordedSweep recorded) {
  auto stage = std::make_shared<Stage>();
  stage->name = functor.name;
  stage->arguments = functor.arguments;
  stage->footprint = std::move(recorded.footprint);
  stage->graph = std::move(recorded.graph);
  return stage;
}

std::shared_ptr<Stage> apply_stage(const DescribedFunctor& functor) {
  auto stage = stage_of(functor, recorded_once(functor));
  check(stage->footprint, stage->name, names_of(stage->arguments));
  return stage;
}

/// The result is the first parameter, to which the steps assign as -1.
std::shared_ptr<Stage> reduce_stage(DescribedFunctor functor, const std::string& how) {
  functor.arguments.insert(functor.arguments.begin(),
                           {StageArgument::Kind::value, Access::out, nullptr, nullptr, nullptr});
  functor.parameters.insert(functor.parameters.begin(),
                            DescriptionOf<detail::ReductionResult>::value);
  detail::GraphRecorder graph;
  auto stage = stage_of(
      functor,
      recorded({functor.sweeps[0], functor.parameters, detail::SweepRole::whole, 1}, graph));
  check(stage->footprint, stage->name, names_of(stage->arguments));
  stage->kind = Stage::Kind::reduce;
  stage->reduction = how == "sum" ? sum : how == "minimum" ? minimum : maximum;
  return stage;
}

std::shared_ptr<Stage> column_stage(const DescribedFunctor& functor, Axis axis) {
  for (const StageArgument& argument : functor.arguments) {
    require(!argument.field || !argument.field->in_place,
            "stage '" + functor.name + "' cannot sweep columns",
            "columns cannot work on fields that lie in place");
  }
  detail::GraphRecorder graph;
  RecordedColumns columns;
  RecordedSweep* const sweeps[] = {&columns.forward, &columns.backward};
  bool is_first = true;
  for (std::size_t n = 0; n < 2; ++n) {
    if (functor.sweeps[n].is_null()) continue;
    const auto role =
        is_first ? detail::SweepRole::first_of_column : detail::SweepRole::second_of_column;
    *sweeps[n] = recorded({functor.sweeps[n], functor.parameters, role}, graph);
    is_first = false;
  }
  auto stage =
      stage_of(functor, {together(columns.forward.footprint, columns.backward.footprint),
                         columns.backward.graph ? columns.backward.graph : columns.forward.graph});
  stage->columns = {axis, std::move(columns.forward), std::move(columns.backward)};
  Program::prepare_columns(*stage, static_cast<Axis>(order_of(*stage)[0]));
  return stage;
}

std::shared_ptr<Stage> fused_stage(const Json& json, const std::vector<StageArgument>& objects) {
  detail::FuseList list;
  std::vector<std::shared_ptr<const Graph>> graphs;
  list.arguments = objects;
  list.is_walled.assign(objects.size(), false);
  for (const std::size_t n : json.at("walled")) list.is_walled[n] = true;
  for (const StageArgument& argument : objects) {
    const bool is_declared = argument.field && argument.field->id >= 0;
    list.uses.kind.push_back(is_declared      ? detail::FuseArgumentKind::field
                             : argument.field ? detail::FuseArgumentKind::intermediate
                                              : detail::FuseArgumentKind::other);
  }
  for (const Json& one : json.at("functors")) {
    const DescribedFunctor functor(one, objects);
    for (std::size_t n = 0; n < functor.arguments.size(); ++n) {
      list.uses.use.push_back({static_cast<int>(list.names.size()), functor.objects[n],
                               functor.arguments[n].access, functor.arguments[n].field != nullptr});
    }
    RecordedSweep made = recorded_once(functor);
    list.names.push_back(functor.name);
    list.footprints.push_back(std::move(made.footprint));
    graphs.push_back(std::move(made.graph));
  }
  return detail::fuse_graphs(std::move(list), graphs);
}

/// Values of parameters, then where each goes.
std::shared_ptr<Stage> compute_stage(const Json& json, const std::vector<StageArgument>& objects) {
  auto sweep = std::make_shared<Stage>();
  auto stage = std::make_shared<Stage>();
  stage->kind = Stage::Kind::compute;
  stage->name = sweep->name = "compute";
  std::vector<ParameterDescription> parameters;
  const std::size_t count = objects.size(), inputs = json.at("inputs");
  for (std::size_t n = 0; n < 2 * count; ++n) {
    StageArgument& argument = sweep->arguments.emplace_back();
    const bool is_value = n < count;
    argument.kind = is_value ? StageArgument::Kind::value : StageArgument::Kind::field;
    argument.access = n < inputs ? Access::in : Access::out;
    parameters.push_back(is_value ? DescriptionOf<ValueParameter<double>>::value
                                  : DescriptionOf<detail::ReductionResult>::value);
    if (!is_value) continue;
    stage->parameters.push_back(objects[n].parameter);
    stage->parameter_access.push_back(argument.access);
  }
  detail::GraphRecorder graph;
  RecordedSweep made = recorded({json.at("steps"), parameters}, graph);
  sweep->footprint = std::move(made.footprint);
  sweep->graph = made.graph;
  check(sweep->footprint, stage->name, std::vector<std::string>(2 * count, "number"));
  stage->function = detail::scalar_function(sweep, stage->parameters);
  stage->as_sweep = std::move(sweep);
  return stage;
}

std::shared_ptr<Stage> described_stage(const Json& json, std::vector<StageArgument> objects) {
  const std::string kind = json.at("kind");
  if (kind == "fuse") return fused_stage(json, objects);
  if (kind == "compute") return compute_stage(json, objects);
  const DescribedFunctor functor(json.at("functors")[0], objects);
  if (kind == "columns") return column_stage(functor, json.at("axis").get<Axis>());
  if (kind == "apply") return apply_stage(functor);
  auto stage = reduce_stage(functor, kind);
  stage->target = objects.back().parameter;
  return stage;
}

/// What a rule asks of a ghost, ["inside", 2].
std::function<double(const GhostCell&)> answer_to(const Json& question) {
  const std::string what = question[0];
  const auto n = question[1].get<std::size_t>();
  if (what == "inside") return [n](const GhostCell& ghost) { return ghost.values[n - 1]; };
  if (what == "depth") return [](const GhostCell& ghost) { return ghost.depth; };
  if (what == "component") return [](const GhostCell& ghost) { return ghost.component; };
  if (what == "index") return [n](const GhostCell& ghost) { return ghost.index[n]; };
  if (what == "position") return [n](const GhostCell& ghost) { return ghost.position[n]; };
  return [](const GhostCell& ghost) { return ghost.time; };
}

/// A rule for ghosts.
struct GraphRule {
  std::shared_ptr<const Graph> graph;
  std::vector<std::function<double(const GhostCell&)>> answers;  ///< to what it asks

  double operator()(const GhostCell& ghost) const {
    // Kept by each thread: 60 ns a ghost, where one made for each takes 190.
    thread_local std::shared_ptr<const Graph> of;
    thread_local std::optional<GraphEvaluator> evaluator;
    thread_local CellView cell;
    if (of != graph) {
      of = graph;
      evaluator.emplace(*of);
    }
    cell.values.clear();
    for (const auto& answer : answers) cell.values.push_back(answer(ghost));
    const int result = graph->branches().front().outputs.front();
    return std::bit_cast<double>(evaluator->bits(result, cell));
  }
};

}  // namespace

/// Appends a stage, {"kind", "functors", ...}. Object n is a field, or a parameter, or else site
/// (both null).
GOBAN_PYTHON_CALL int goban_python_program_stage(Program* program, const char* text,
                                                 const char* name, const FieldHandle* const* fields,
                                                 const ParameterHandle* const* parameters,
                                                 std::int64_t count) {
  return guarded([&] {
    std::vector<StageArgument> objects(static_cast<std::size_t>(count));
    for (std::size_t n = 0; n < objects.size(); ++n) {
      StageArgument& object = objects[n];
      if (fields[n]) {
        object.field = fields[n]->record;
        object.grid = fields[n]->grid;
      } else if (parameters[n]) {
        object.kind = StageArgument::Kind::value;
        object.parameter = parameters[n]->record;
      } else {
        object.kind = StageArgument::Kind::site;
      }
    }
    auto stage = described_stage(Json::parse(text), std::move(objects));
    order_of(*stage);
    stage->name = name;
    program->add(std::move(stage));
  });
}

/// A rule for ghosts, {"asks", "steps"}: parameters are what it asks for.
GOBAN_PYTHON_CALL int goban_python_condition_of_rule(const char* text, BoundaryCondition** made) {
  return guarded([&] {
    const Json json = Json::parse(text);
    std::vector<std::function<double(const GhostCell&)>> answers;
    for (const Json& question : json.at("asks")) answers.push_back(answer_to(question));
    std::vector<ParameterDescription> parameters(answers.size(),
                                                 DescriptionOf<ValueParameter<double>>::value);
    parameters.push_back(DescriptionOf<detail::ReductionResult>::value);
    detail::GraphRecorder recorder;
    const RecordedSweep rule = recorded({json.at("steps"), parameters}, recorder);
    check(rule.footprint, "of a boundary", std::vector<std::string>(parameters.size(), "number"));
    *made = new BoundaryCondition(custom(GraphRule{rule.graph, std::move(answers)}));
  });
}
