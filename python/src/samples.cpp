// Values of some cells at every step.

#include <cstring>

#include "calls.hpp"
#include "goban/program/program.hpp"

using namespace goban;
using namespace goban::python;

GOBAN_PYTHON_CALL int goban_python_samples(const Grid* grid, SamplesHandle** made) {
  return guarded([&] { *made = new SamplesHandle{std::make_shared<Samples>(grid->state())}; });
}
GOBAN_PYTHON_CALL void goban_python_samples_delete(SamplesHandle* handle) { delete handle; }
/// `ends`: lower and upper ends of a box. Byte of a record where its values begin.
GOBAN_PYTHON_CALL int goban_python_samples_add(const SamplesHandle* handle,
                                               const FieldHandle* field, const std::int64_t* ends,
                                               std::int64_t* first) {
  return guarded([&] {
    Samples& samples = *handle->samples;
    require(field->grid == samples.grid(), "field '" + field->record->name + "' is refused",
            "it is of another grid than the samples");
    const std::size_t part = samples.add(field->record, box_of(ends));
    *first = static_cast<std::int64_t>(samples.parts()[part].first);
  });
}
GOBAN_PYTHON_CALL int goban_python_program_sample(Program* program, const SamplesHandle* handle) {
  return guarded([&] { program->sample(handle->samples); });
}
/// How many records there are, and the bytes of one.
GOBAN_PYTHON_CALL int goban_python_samples_size(const SamplesHandle* handle, std::int64_t* size) {
  return guarded([&] {
    size[0] = static_cast<std::int64_t>(handle->samples->records().size());
    size[1] = static_cast<std::int64_t>(handle->samples->bytes());
  });
}
/// Hands all records over, one behind the other.
GOBAN_PYTHON_CALL int goban_python_samples_take(const SamplesHandle* handle, std::int64_t* steps,
                                                double* times, std::byte* values) {
  return guarded([&] {
    for (const Samples::Record& record : handle->samples->records()) {
      *steps++ = record.step;
      *times++ = record.time;
      std::memcpy(values, record.values.data(), record.values.size());
      values += record.values.size();
    }
    handle->samples->records().clear();
  });
}
