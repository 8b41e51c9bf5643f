// Runtimes, grids and what is beyond their edges.

#include <array>
#include <cstdio>
#include <memory>

#include "calls.hpp"
#include "goban/base/build_info.hpp"
#include "goban/domain/ranks/failure.hpp"
#include "goban/domain/ranks/mpi_loader.hpp"
#include "goban/runtime/runtime.hpp"

namespace {

using namespace goban;
using namespace goban::python;

/// Six conditions: the low and the high side of each axis.
BoundarySet boundary_of(const BoundaryCondition* const* sides) {
  BoundarySet set;
  for (std::size_t n = 0; n < 6; ++n) set.sides[n / 2][n % 2] = *sides[n];
  return set;
}

}  // namespace

/// The options --goban-* are taken out of the command line, which becomes shorter.
GOBAN_PYTHON_CALL int goban_python_runtime_of_arguments(std::int64_t* count, char** arguments,
                                                        Runtime** made) {
  return guarded([&] {
    int argc = static_cast<int>(*count);
    *made = new Runtime(argc, arguments);
    *count = argc;
  });
}
/// {"threads": "2", ...}
GOBAN_PYTHON_CALL int goban_python_runtime(const char* options, Runtime** made) {
  return guarded([&] {
    Settings settings;
    const Json json = Json::parse(options);
    for (const auto& [name, value] : json.items()) {
      set_option(settings, name, value.get<std::string>());
    }
    *made = new Runtime(settings);
  });
}
/// See Runtime::rehearse_gpus.
GOBAN_PYTHON_CALL int goban_python_rehearse_gpus(std::int64_t capability, std::int64_t count) {
  return guarded(
      [&] { Runtime::rehearse_gpus(static_cast<int>(capability), static_cast<int>(count)); });
}
GOBAN_PYTHON_CALL void goban_python_runtime_delete(Runtime* runtime) { delete runtime; }
GOBAN_PYTHON_CALL int goban_python_runtime_description(const Runtime* runtime) {
  return guarded([&] { set_text(runtime->description()); });
}
GOBAN_PYTHON_CALL int goban_python_runtime_ranks(Runtime* runtime, std::int64_t* rank,
                                                 std::int64_t* count) {
  return guarded([&] {
    *rank = runtime->communicator()->rank();
    *count = runtime->communicator()->size();
  });
}

GOBAN_PYTHON_CALL int goban_python_version() {
  return guarded([] { set_text(std::string(build_info().version)); });
}
/// The script ends with this error, see report_failure; the lines go to standard error.
GOBAN_PYTHON_CALL std::int64_t goban_python_report(std::int64_t code, const char* text) {
  return report_failure(Error(static_cast<ExitCode>(code), text), [](const std::string& line) {
    std::fprintf(stderr, "goban: %s\n", line.c_str());
  });
}

/// `active`: a byte for every cell, x fastest; null: there are all.
GOBAN_PYTHON_CALL int goban_python_grid(Runtime* runtime, const std::int64_t* cells,
                                        const double* spacing, const double* origin,
                                        const BoundaryCondition* const* sides,
                                        const std::uint8_t* active, Grid** made) {
  return guarded([&] {
    const Index3 n = index3(cells);
    const auto is_active = [=](Index3 i) {
      return active[i[0] + n[0] * (i[1] + n[1] * i[2])] != 0;
    };
    *made = new Grid(*runtime, {.cells = n,
                                .spacing = {spacing[0], spacing[1], spacing[2]},
                                .origin = {origin[0], origin[1], origin[2]},
                                .boundary = boundary_of(sides),
                                .active = active ? Active(is_active) : Active()});
  });
}
GOBAN_PYTHON_CALL int goban_python_grid_coarsened(const Grid* fine, const std::int64_t* ratio,
                                                  Grid** made) {
  return guarded([&] { *made = new Grid(fine->coarsened(index3(ratio))); });
}
GOBAN_PYTHON_CALL void goban_python_grid_delete(Grid* grid) { delete grid; }

/// `kind`: its number in BoundaryCondition. The number is that of a parameter or of a function of
/// the time, if there is one.
GOBAN_PYTHON_CALL int goban_python_condition(std::int64_t kind, double value,
                                             const ParameterHandle* parameter,
                                             TimeFunction function, BoundaryCondition** made) {
  return guarded([&] {
    const BoundaryNumber number = parameter  ? BoundaryNumber(Parameter<double>(parameter->record))
                                  : function ? BoundaryNumber(number_of(function))
                                             : BoundaryNumber(value);
    using Kind = BoundaryCondition::Kind;
    const auto chosen = static_cast<Kind>(kind);
    *made = new BoundaryCondition(chosen == Kind::constant     ? constant(number)
                                  : chosen == Kind::wall_value ? wall_value(number)
                                  : chosen == Kind::gradient   ? gradient(number)
                                                               : BoundaryCondition{chosen});
  });
}
GOBAN_PYTHON_CALL void goban_python_condition_delete(BoundaryCondition* condition) {
  delete condition;
}
