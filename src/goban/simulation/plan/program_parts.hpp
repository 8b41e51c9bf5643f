#pragma once
// What a program names: its fields and its numbers.

#include <memory>
#include <vector>

#include "goban/checkpoint/content.hpp"
#include "goban/program/program.hpp"

namespace goban {

struct UsedField {
  std::shared_ptr<FieldRecord> record;
  std::shared_ptr<GridState> grid;
};

/// The fields of all stages, loops included; each once, in the order they come up.
std::vector<UsedField> fields_of(const Program& program);

/// The fields that sweeps and calls write.
std::vector<const FieldRecord*> written_by(const Program& program);

/// The parameters that reductions and scalar stages set, and whether there are calls, which may set
/// any.
std::vector<const ParameterRecord*> numbers_written_by(const Program& program);
bool has_calls(const Program& program);

/// The state of what it calls (StatefulCall).
std::vector<CheckpointArray> arrays_of_calls(const Program& program);

/// The parameters that stages, conditions and reductions read or write; each once.
std::vector<std::shared_ptr<ParameterRecord>> parameters_of(const Program& program);

}  // namespace goban
