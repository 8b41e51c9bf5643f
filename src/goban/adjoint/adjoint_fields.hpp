#pragma once
// The fields and numbers that hold derivatives with respect to those of a program.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban::detail {

using FieldPointer = std::shared_ptr<FieldRecord>;
/// In the order in which they were declared, the same on all ranks.
struct DeclaredBefore {
  bool operator()(const FieldPointer& a, const FieldPointer& b) const { return a->id < b->id; }
};
using FieldSet = std::set<FieldPointer, DeclaredBefore>;
template <class Value>
using FieldMap = std::map<FieldPointer, Value, DeclaredBefore>;

/// What derivatives of a field are: with respect to its values, which are 0 beyond the ends of the
/// grid, or how these change, with what is beyond.
enum class DerivativeKind : std::uint8_t { adjoint, tangent };

/// Each field has one that holds derivatives, of the type that functors compute with.
class AdjointFields {
 public:
  AdjointFields(std::shared_ptr<GridState> grid, DerivativeKind kind)
      : grid_(std::move(grid)), kind_(kind) {}

  const std::shared_ptr<GridState>& grid() const { return grid_; }
  StageArgument of(const FieldPointer& field);
  /// Whether a field has one: derivatives are zero with respect to others.
  bool knows(const FieldPointer& field) const { return of_.count(field) > 0; }
  /// A further field like the adjoint one of `like`, but of so many components.
  StageArgument make(const std::string& name, const FieldRecord& like, ElementType type,
                     int components);
  /// A copy of a field, with its boundary conditions.
  FieldPointer make_copy(const FieldRecord& field);
  /// Whether it is one of those that were made here.
  bool has(const FieldRecord* field) const { return made_.count(field) > 0; }
  const FieldMap<FieldPointer>& all() const { return of_; }

 private:
  FieldPointer declare(FieldRecord record, const std::string& name);
  std::vector<BoundarySet> conditions(const FieldRecord& like, int components) const;

  std::shared_ptr<GridState> grid_;
  DerivativeKind kind_;
  FieldMap<FieldPointer> of_;
  std::set<const FieldRecord*> made_;
};

}  // namespace goban::detail
