#include "goban/program/program.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace goban {

namespace {

/// Where the qualifier begins that `text` ends in: "solver", "Pair<int, half>", "main()".
std::size_t begin_of_qualifier(const std::string& text) {
  int depth = 0;
  std::size_t begin = text.size();
  for (; begin > 0; --begin) {
    const char c = text[begin - 1];
    const bool is_of_name = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (c == '>' || c == ')') {
      ++depth;
    } else if (depth > 0) {
      depth -= c == '<' || c == '(' ? 1 : 0;
    } else if (!is_of_name) {
      break;
    }
  }
  return begin;
}

}  // namespace

std::shared_ptr<Stage> Program::sweep(const RecordedFunctor& recorded, const std::string& name,
                                      std::vector<StageArgument> arguments) {
  auto stage = std::make_shared<Stage>();
  stage->footprint = Footprint(recorded.footprint);
  stage->graph = recorded.graph;
  stage->name = name;
  std::vector<std::string> names;
  for (const StageArgument& argument : arguments) names.push_back(argument.name());
  goban::check(stage->footprint, stage->name, names);
  stage->arguments = std::move(arguments);
  return stage;
}

Program& Program::call_on_device(const std::shared_ptr<GridState>& grid,
                                 std::vector<ViewedField> fields, DeviceFunction function) {
  auto stage = std::make_shared<Stage>();
  stage->kind = Stage::Kind::call;
  stage->name = "call on device";
  for (const ViewedField& one : fields) {
    const auto& family = grid->root->fields;
    const bool is_there = std::find(family.begin(), family.end(), one.record) != family.end();
    require(is_there && one.record->grid == grid->number,
            "a call on the device of fields '" + fields.front().record->name + "' and '" +
                one.record->name + "' is refused",
            "they are of different grids", "make a call for each grid");
    (one.access == ViewAccess::read ? stage->reads : stage->writes).push_back(one.record);
  }
  stage->function = [grid, fields = std::move(fields), function = std::move(function)] {
    grid->storage().call_on_device(fields, function);
  };
  add(std::move(stage));
  return *this;
}

std::string Program::type_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  const std::string name = status == 0 ? text.get() : type.name();
  // Namespaces say nothing to the reader of a report, neither here nor in template arguments.
  std::string plain;
  for (std::size_t n = 0; n < name.size(); ++n) {
    if (name.compare(n, 2, "::") != 0) {
      plain += name[n];
      continue;
    }
    plain.resize(begin_of_qualifier(plain));
    ++n;
  }
  return plain;
}

Stage& Program::add(std::shared_ptr<Stage> stage) {
  stages_.push_back(std::move(stage));
  return *stages_.back();
}

void Program::prepare_columns(const Stage& stage, Axis unit) {
  std::vector<std::string> names;
  for (const StageArgument& argument : stage.arguments) names.push_back(argument.name());
  check(stage.footprint, stage.name, names);
  const Axis axis = stage.columns->axis;
  const char name = "xyz"[index_of(axis)];
  require(axis != unit, "stage '" + stage.name + "' cannot sweep columns along " + name,
          "memory is contiguous along it, and columns are computed side by side",
          unit == Axis::x ? "declare its fields with layout kij, or sweep along y or z"
                          : "declare its fields with layout ijk");
  for (const StageArgument& argument : stage.arguments) {
    if (!argument.grid) continue;
    require(!argument.grid->is_periodic(index_of(axis)),
            "stage '" + stage.name + "' cannot sweep columns along " + name,
            "the grid is periodic there, so that columns have no first level",
            "give the grid two ends along it");
    argument.grid->is_whole[static_cast<std::size_t>(index_of(axis))] = true;
  }
}

Program& Program::sample(const std::shared_ptr<Samples>& samples) {
  auto stage = std::make_shared<Stage>();
  stage->kind = Stage::Kind::sample;
  stage->name = "sample";
  stage->samples = samples;
  stage->grid = samples->grid();
  for (const auto& field : samples->fields()) {
    stage->arguments.push_back(
        {StageArgument::Kind::field, Access::in, field, samples->grid(), nullptr});
  }
  add(std::move(stage));
  return *this;
}

Program& Program::repeat(Index times, const Program& body) {
  require(times >= 0, "repeat(" + std::to_string(times) + ") is refused",
          "a count cannot be negative");
  auto stage = std::make_shared<Stage>();
  stage->kind = Stage::Kind::repeat;
  stage->name = body.name();
  stage->body = std::make_shared<const Program>(body);
  stage->count = times;
  add(std::move(stage));
  return *this;
}

Program& Program::until(Condition condition, Index check_every, Index limit, const Program& body,
                        const Program& check) {
  require(check_every > 0 && limit > 0, "until in program '" + name_ + "' is refused",
          "check_every and limit must be positive");
  auto stage = std::make_shared<Stage>();
  stage->kind = Stage::Kind::until;
  stage->name = body.name();
  stage->body = std::make_shared<const Program>(body);
  stage->check = std::make_shared<const Program>(check);
  stage->count = check_every;
  stage->limit = limit;
  stage->condition = std::move(condition);
  add(std::move(stage));
  return *this;
}

std::shared_ptr<GridState> grid_of(const Stage& stage) {
  if (stage.grid) return stage.grid;
  std::shared_ptr<GridState> first;
  for (const auto& argument : stage.arguments) {
    if (argument.grid && argument.access != Access::in) return argument.grid;
    if (!first) first = argument.grid;
  }
  return first;
}

IndexMap map_of(const Stage& sweep, std::size_t a) {
  return *index_map(*grid_of(sweep), *sweep.arguments[a].grid);
}

bool reads_other_grids(const Stage& sweep) {
  const auto grid = grid_of(sweep);
  return std::any_of(sweep.arguments.begin(), sweep.arguments.end(),
                     [&](const auto& argument) { return argument.grid && argument.grid != grid; });
}

Error not_converged(const Stage& until, Index steps) {
  const ParameterRecord& parameter = *until.condition.parameter;
  if (until.condition.is_lost()) {
    return {ExitCode::diverged, "'" + until.name + "' has diverged",
            fmt::format("after {} steps {} is NaN", steps, parameter.name),
            "look at where it starts from, and for steps that are too long"};
  }
  return {
      ExitCode::diverged, "'" + until.name + "' did not converge",
      fmt::format("after {} steps {} is {:.3g}, not {} {:.3g}", steps, parameter.name,
                  parameter.value, until.condition.less ? "below" : "above", until.condition.bound),
      "raise the limit or loosen the tolerance"};
}

}  // namespace goban
