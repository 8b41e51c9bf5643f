#pragma once
// Stages and nodes that read a field at the cell.

#include <memory>

#include "goban/adjoint/adjoint_fields.hpp"
#include "goban/program/stage.hpp"

namespace goban::detail {

/// The field as an argument that is read.
StageArgument argument_of(const FieldPointer& field, const std::shared_ptr<GridState>& grid);
/// The value of a component at the cell; `parameter` is the place of the field among the arguments.
GraphNode node_reading(const FieldRecord& field, std::int64_t parameter, int component);
/// The stage that copies one field, times a factor, to another, which is like it.
std::shared_ptr<Stage> copying_stage(const FieldPointer& field, const FieldPointer& to,
                                     const std::shared_ptr<GridState>& grid, double factor = 1);

}  // namespace goban::detail
