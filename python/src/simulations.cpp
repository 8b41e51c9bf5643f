// Simulations: what a run does, and the run. `objects` are what options refer to by number: fields,
// parameters or functions of the script.

#include "bodies.hpp"
#include "goban/simulation/run/predicted_run.hpp"
#include "goban/simulation/run/simulation.hpp"
#include "options.hpp"
#include "script_output.hpp"

namespace {

using namespace goban;
using namespace goban::python;

struct SimulationHandle {
  SimulationHandle(const Grid& of, const Program& program, SimulationOptions options)
      : grid(of), simulation(grid, program, std::move(options)) {}
  Grid grid;
  Simulation simulation;
};

using NumberFunction = std::int64_t (*)(double* made);
using ClockFunction = std::int64_t (*)(std::int64_t step, double time, double wall);

/// {"of": "sum" | "mean" | "minimum" | "maximum" | "value" | "interpolated", "field", "component",
/// "position"} or {"of": "parameter" | "function", "object", "name", "unit"}.
Column column_of(const Json& named, void* const* objects) {
  const std::string of = named.at("of");
  if (of == "parameter" || of == "function") {
    void* const object = objects[named.at("object").get<Index>()];
    const std::string unit = named.value("unit", "");
    if (of == "parameter") {
      return {Parameter<double>(static_cast<const ParameterHandle*>(object)->record), unit};
    }
    const auto function = reinterpret_cast<NumberFunction>(object);
    return {named.at("name"), unit, [function] {
              double value = 0;
              require_success(function(&value));
              return value;
            }};
  }
  const AnyField field = field_of(named, objects);
  const int component = named.at("component");
  if (of == "sum") return sum_of(field, component);
  if (of == "mean") return mean_of(field, component);
  if (of == "minimum") return minimum_of(field, component);
  if (of == "maximum") return maximum_of(field, component);
  const Position position = position_of(named.at("position"));
  return of == "value" ? value_at(field, position, component)
                       : interpolated_at(field, position, component);
}

std::function<void(const Clock&)> clock_function(ClockFunction function) {
  return [function](const Clock& clock) {
    require_success(function(clock.step, clock.time, clock.wall));
  };
}

}  // namespace

/// `dt`, `dt_limit`: parameters, or null.
GOBAN_PYTHON_CALL int goban_python_simulation(const Grid* grid, const Program* program,
                                              const char* options, const ParameterHandle* dt,
                                              const ParameterHandle* dt_limit,
                                              SimulationHandle** made) {
  return guarded([&] {
    SimulationOptions all = simulation_options(Json::parse(options));
    if (dt) all.dt.parameter = dt->record;
    if (dt_limit) all.dt_limit = Parameter<double>(dt_limit->record);
    *made = new SimulationHandle(*grid, *program, std::move(all));
  });
}
GOBAN_PYTHON_CALL void goban_python_simulation_delete(SimulationHandle* simulation) {
  delete simulation;
}

/// What all outputs of fields have in common: `kind` names the method of Simulation.
GOBAN_PYTHON_CALL int goban_python_simulation_output(SimulationHandle* handle, const char* kind,
                                                     const char* options, void* const* objects) {
  return guarded([&] {
    Simulation& simulation = handle->simulation;
    const Json json = Json::parse(options);
    const std::string what = kind;
    const When when = when_of(json.at("when"));
    const std::string name = json.value("name", "");
    if (what == "output") {
      simulation.output(fields_of(json.at("fields"), objects), when, {.name = name});
    } else if (what == "script") {
      void* const function = objects[json.at("object").get<Index>()];
      simulation.add(script_output(name, reinterpret_cast<FileFunction>(function), when));
    } else if (what == "bodies") {
      const Bodies bodies = bodies_of(objects[json.at("object").get<Index>()]);
      simulation.options().shapes = [bodies](Axis axis, double position) {
        return bodies.outlines(axis, position);
      };
      simulation.add(bodies.output(when));
    } else if (what == "picture") {
      simulation.picture(field_of(json.at("shown"), objects), picture_options(json, objects), when);
    } else if (what == "series") {
      std::vector<Column> columns;
      for (const Json& one : json.at("columns")) columns.push_back(column_of(one, objects));
      simulation.series(name, std::move(columns), when);
    } else if (what == "probe") {
      std::vector<Position> positions;
      for (const Json& one : json.at("positions")) positions.push_back(position_of(one));
      simulation.probe(fields_of(json.at("fields"), objects), positions, when);
    } else if (what == "line") {
      simulation.line(name, fields_of(json.at("fields"), objects),
                      {.from = position_of(json.at("from")),
                       .to = position_of(json.at("to")),
                       .points = json.at("points")},
                      when);
    } else if (what == "plane") {
      PlaneOptions plane{.axis = static_cast<Axis>(json.at("axis").get<int>())};
      read(json, "position", plane.position);
      simulation.plane(name, fields_of(json.at("fields"), objects), plane, when);
    } else if (what == "statistics") {
      simulation.statistics(field_of(json.at("shown"), objects), when, json.at("from"));
    } else if (what == "averages") {
      AverageOptions averages{.axis = static_cast<Axis>(json.at("axis").get<int>()),
                              .covariances = json.at("covariances"),
                              .from = json.at("from")};
      simulation.averages(name, fields_of(json.at("fields"), objects), averages, when);
    } else {
      throw Error(ExitCode{1}, "internal error: no such output", what);
    }
  });
}
GOBAN_PYTHON_CALL int goban_python_simulation_checkpoint(SimulationHandle* handle,
                                                         const char* options) {
  return guarded([&] {
    const Json json = Json::parse(options);
    handle->simulation.checkpoint(when_of(json.at("when")), checkpoint_policy(json));
  });
}
GOBAN_PYTHON_CALL int goban_python_simulation_keep(SimulationHandle* handle,
                                                   const ParameterHandle* parameter) {
  return guarded([&] { handle->simulation.keep(Parameter<double>(parameter->record)); });
}
GOBAN_PYTHON_CALL int goban_python_simulation_progress(SimulationHandle* handle) {
  return guarded([&] { handle->simulation.progress(); });
}
GOBAN_PYTHON_CALL int goban_python_simulation_live(SimulationHandle* handle, const char* at) {
  return guarded([&] { handle->simulation.live(at); });
}
/// `check`: a program, or null.
GOBAN_PYTHON_CALL int goban_python_simulation_stop_when(SimulationHandle* handle,
                                                        const ParameterHandle* parameter,
                                                        std::int64_t is_less, double bound,
                                                        std::int64_t check_every,
                                                        const Program* check) {
  return guarded([&] {
    const Condition condition{parameter->record, is_less != 0, bound};
    if (check) {
      handle->simulation.stop_when(condition, check_every, *check);
    } else {
      handle->simulation.stop_when(condition, check_every);
    }
  });
}
GOBAN_PYTHON_CALL int goban_python_simulation_adjust(SimulationHandle* handle, std::int64_t every,
                                                     ClockFunction function) {
  return guarded([&] { handle->simulation.adjust(every, clock_function(function)); });
}
GOBAN_PYTHON_CALL int goban_python_simulation_on(SimulationHandle* handle, const char* schedule,
                                                 ClockFunction function) {
  return guarded(
      [&] { handle->simulation.on(when_of(Json::parse(schedule)), clock_function(function)); });
}
GOBAN_PYTHON_CALL int goban_python_simulation_derive(SimulationHandle* handle,
                                                     const Program* program) {
  return guarded([&] { handle->simulation.derive(*program); });
}
/// The function returns JSON, or null where it has failed; `units`: JSON.
GOBAN_PYTHON_CALL int goban_python_simulation_results(SimulationHandle* handle,
                                                      const char* (*function)(),
                                                      const char* units) {
  return guarded([&] {
    const auto fill = [function](nlohmann::ordered_json& results) {
      const char* const made = function();
      require_success(made ? 0 : 1);
      results.update(nlohmann::ordered_json::parse(made));
    };
    handle->simulation.results(fill, Json::parse(units).get<std::map<std::string, std::string>>());
  });
}

/// The report is JSON.
GOBAN_PYTHON_CALL int goban_python_simulation_run(SimulationHandle* handle) {
  return guarded([&] {
    if (const std::string text = predicted_as_asked(handle->simulation); !text.empty()) {
      return set_text(Json{{"predicted", text}}.dump());
    }
    const RunStatus status = handle->simulation.run();
    const RunReport& report = handle->simulation.report();
    const Json json = {{"exit_code", static_cast<int>(exit_code(status))},
                       {"first_step", report.first_step},
                       {"last_step", report.last_step},
                       {"time", report.time},
                       {"wall_seconds", report.wall_seconds},
                       {"loop_seconds", report.loop_seconds},
                       {"ended_by", report.ended_by},
                       {"restarted", report.restarted},
                       {"unwritten", report.unwritten}};
    set_text(json.dump());
  });
}
GOBAN_PYTHON_CALL int goban_python_simulation_rehearse(SimulationHandle* handle,
                                                       std::int64_t steps) {
  return guarded([&] { handle->simulation.rehearse(steps); });
}
GOBAN_PYTHON_CALL int goban_python_simulation_dry_run(SimulationHandle* handle) {
  return guarded([&] { set_text(handle->simulation.dry_run()); });
}
GOBAN_PYTHON_CALL int goban_python_simulation_describe(SimulationHandle* handle) {
  return guarded([&] { set_text(handle->simulation.describe()); });
}
