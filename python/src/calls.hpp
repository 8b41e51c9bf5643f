#pragma once
// What Python calls: plain C functions, found by their names. Each answers 0, or the exit code of
// an error, whose text goban_python_text() then has; what it makes goes through its last arguments.
// Numbers are std::int64_t and double, options JSON. No object outlives its
// goban_python_<it>_delete; the package keeps those alive that others refer to.

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/field/record.hpp"
#include "goban/program/parameter.hpp"
#include "goban/program/samples.hpp"
#include "goban/simulation/any_field.hpp"

#define GOBAN_PYTHON_CALL extern "C" [[gnu::visibility("default")]]

namespace goban::python {

using Json = nlohmann::json;

/// A field of any type.
struct FieldHandle {
  std::shared_ptr<GridState> grid;
  std::shared_ptr<FieldRecord> record;

  FieldStore& store() const { return grid->storage(); }
  AnyField with_unit(const std::string& unit) const { return {grid, record, unit}; }
};

/// A parameter of any type.
struct ParameterHandle {
  std::shared_ptr<ParameterRecord> record;
};

/// Values of cells at every step.
struct SamplesHandle {
  std::shared_ptr<Samples> samples;
};

/// What goban_python_text() returns from now on, to the thread that calls it.
void set_text(std::string text);
/// Keeps the text of the exception that is being handled. Returns its exit code.
int failed();

/// The body of a call.
template <class F>
int guarded(F&& body) {
  try {
    body();
    return 0;
  } catch (...) {
    return failed();
  }
}

/// A function of the script returned this: anything but 0 is an exception, which the package keeps
/// and raises when the call from Python is over.
inline void require_success(std::int64_t status) {
  if (status != 0) throw Error(ExitCode{1}, "a function of the script has failed");
}

/// A function of the script that makes a number of the simulated time.
using TimeFunction = std::int64_t (*)(double time, double* made);
inline auto number_of(TimeFunction function) {
  return [function](double time) {
    double value = 0;
    require_success(function(time, &value));
    return value;
  };
}

inline Index3 index3(const std::int64_t* values) { return {values[0], values[1], values[2]}; }
inline Box box_of(const std::int64_t* ends) { return {index3(ends), index3(ends + 3)}; }

}  // namespace goban::python
