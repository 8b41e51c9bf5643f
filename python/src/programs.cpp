// Programs and engines.

#include <functional>
#include <vector>

#include "calls.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/program/program.hpp"
#include "goban/stencil/finite_differences.hpp"

namespace {

using namespace goban;
using namespace goban::python;

std::vector<std::shared_ptr<FieldRecord>> records(const FieldHandle* const* fields,
                                                  std::int64_t count) {
  std::vector<std::shared_ptr<FieldRecord>> all;
  for (std::int64_t n = 0; n < count; ++n) all.push_back(fields[n]->record);
  return all;
}

/// A run without files and reports.
struct EngineHandle {
  Engine engine;
  StepClock clock;
};

}  // namespace

GOBAN_PYTHON_CALL int goban_python_program(const char* name, Program** made) {
  return guarded([&] { *made = new Program(name); });
}
GOBAN_PYTHON_CALL void goban_python_program_delete(Program* program) { delete program; }

/// A coefficient of finite_differences.hpp.
GOBAN_PYTHON_CALL int goban_python_finite_difference(const char* scheme, std::int64_t half_width,
                                                     std::int64_t neighbour, double* made) {
  return guarded([&] {
    const std::string name = scheme;
    const auto coefficient = name == "first"       ? finite_differences::first
                             : name == "second"    ? finite_differences::second
                             : name == "staggered" ? finite_differences::staggered
                                                   : finite_differences::average;
    *made = coefficient(static_cast<int>(half_width), static_cast<int>(neighbour));
  });
}
/// Limits the last stage to a box; lower and upper ends.
GOBAN_PYTHON_CALL int goban_python_program_over(const Program* program, const std::int64_t* ends) {
  return guarded([&] { program->stages().back()->region = box_of(ends); });
}
/// Limits the last stage to the cells whose mask is not zero.
GOBAN_PYTHON_CALL int goban_python_program_where(const Program* program, const FieldHandle* mask) {
  return guarded([&] {
    require(mask->record->type == ElementType::uint8 && mask->record->components == 1,
            "field '" + mask->record->name + "' is no mask", "it is not of type uint8",
            "declare it with \"uint8\"");
    program->stages().back()->mask = mask->record;
  });
}

GOBAN_PYTHON_CALL int goban_python_program_rotate(Program* program,
                                                  const FieldHandle* const* fields,
                                                  std::int64_t count) {
  return guarded([&] {
    auto stage = std::make_shared<Stage>();
    stage->kind = Stage::Kind::permute;
    stage->names = records(fields, count);
    stage->grid = fields[0]->grid;
    program->add(std::move(stage));
  });
}
GOBAN_PYTHON_CALL int goban_python_program_call(Program* program, std::int64_t (*function)(),
                                                const FieldHandle* const* reads,
                                                std::int64_t read_count,
                                                const FieldHandle* const* writes,
                                                std::int64_t write_count) {
  return guarded([&] {
    program->call([function] { require_success(function()); }, {}, {});
    program->stages().back()->reads = records(reads, read_count);
    program->stages().back()->writes = records(writes, write_count);
  });
}
GOBAN_PYTHON_CALL int goban_python_program_follow(Program* program,
                                                  const ParameterHandle* parameter,
                                                  TimeFunction function) {
  return guarded(
      [&] { program->follow(Parameter<double>(parameter->record), number_of(function)); });
}
GOBAN_PYTHON_CALL int goban_python_program_repeat(Program* program, std::int64_t times,
                                                  const Program* body) {
  return guarded([&] { program->repeat(times, *body); });
}
GOBAN_PYTHON_CALL int goban_python_program_until(Program* program, const ParameterHandle* parameter,
                                                 std::int64_t is_less, double bound,
                                                 std::int64_t check_every, std::int64_t limit,
                                                 const Program* body, const Program* check) {
  return guarded([&] {
    program->until({parameter->record, is_less != 0, bound}, check_every, limit, *body, *check);
  });
}

GOBAN_PYTHON_CALL int goban_python_engine(const Program* program, double dt,
                                          const ParameterHandle* dt_parameter,
                                          EngineHandle** made) {
  return guarded([&] {
    *made = new EngineHandle{Engine(*program), {}};
    (*made)->clock.dt = dt;
    if (dt_parameter) (*made)->clock.dt_parameter = dt_parameter->record;
  });
}
GOBAN_PYTHON_CALL void goban_python_engine_delete(EngineHandle* engine) { delete engine; }
GOBAN_PYTHON_CALL int goban_python_engine_run(EngineHandle* engine, std::int64_t steps,
                                              std::int64_t* step, double* time) {
  return guarded([&] {
    engine->engine.run(steps, engine->clock);
    engine->engine.synchronize();
    *step = engine->clock.step;
    *time = engine->clock.time;
  });
}
