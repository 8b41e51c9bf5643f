#include "goban/adjoint/adjoint_fields.hpp"

#include <algorithm>

#include "goban/base/error.hpp"
#include "goban/field/unused_name.hpp"

namespace goban::detail {
namespace {

BoundarySet zero_beyond(const GridState& grid) {
  BoundarySet set;
  for (int a = 0; a < 3; ++a) {
    if (!grid.is_periodic(a)) {
      set.sides[static_cast<std::size_t>(a)] = {constant(0), constant(0)};
    }
  }
  return set;
}

/// What changes of a field with these conditions fulfil.
BoundarySet of_changes(BoundarySet set) {
  using Kind = BoundaryCondition::Kind;
  for (auto& axis : set.sides) {
    for (BoundaryCondition& side : axis) {
      if (side.kind == Kind::constant) side = constant(0);
      if (side.kind == Kind::wall_value) side = wall_value(0);
      if (side.kind == Kind::gradient) side = mirror;
    }
  }
  return set;
}

ElementType computed_type(ElementType type) {
  return type == ElementType::half ? ElementType::float32 : type;
}

}  // namespace

FieldPointer AdjointFields::declare(FieldRecord record, const std::string& name) {
  GridState& grid = grid_->member(record.grid);
  record.name = unused_name(grid, name);
  record.is_output = false;
  auto made = declare_field(grid, std::move(record));
  made_.insert(made.get());
  return made;
}

std::vector<BoundarySet> AdjointFields::conditions(const FieldRecord& like, int components) const {
  std::vector<BoundarySet> all(static_cast<std::size_t>(components), zero_beyond(*grid_));
  if (kind_ == DerivativeKind::adjoint) return all;
  std::transform(like.boundary.begin(), like.boundary.end(), all.begin(), of_changes);
  return all;
}

StageArgument AdjointFields::make(const std::string& name, const FieldRecord& like,
                                  ElementType type, int components) {
  FieldRecord record;
  record.grid = like.grid;
  record.type = type;
  record.components = components;
  record.order = like.order;
  record.location = like.location;
  record.boundary = conditions(like, components);
  return {StageArgument::Kind::field, Access::in, declare(std::move(record), name), grid_, nullptr};
}

StageArgument AdjointFields::of(const FieldPointer& field) {
  auto& made = of_[field];
  if (!made) {
    const char* what = kind_ == DerivativeKind::adjoint ? "adjoint " : "change of ";
    made = make(what + field->name, *field, computed_type(field->type), field->components).field;
  }
  return {StageArgument::Kind::field, Access::in, made, grid_, nullptr};
}

FieldPointer AdjointFields::make_copy(const FieldRecord& field) {
  FieldRecord record = field;
  return declare(std::move(record), field.name + " before");
}

}  // namespace goban::detail
