#include "goban/domain/engine/stage_check.hpp"

#include <algorithm>
#include <set>

#include "goban/base/error.hpp"
#include "goban/program/ghost_operations.hpp"
#include "goban/program/program.hpp"
#include "goban/sparse/list_stage.hpp"

namespace goban {
namespace {

void check_boundaries(const FieldRecord& field, const GridState& grid) {
  const std::string refused = "boundary of field '" + field.name + "' is refused";
  for (const BoundarySet& sides : grid.active ? field.faces : field.boundary) {
    for (int a = 0; a < 3; ++a) {
      for (const auto& condition : sides.sides[static_cast<std::size_t>(a)]) {
        require(grid.active || condition.kind != BoundaryCondition::Kind::bounce_back, refused,
                "bounce_back is of grids of active cells", "let the functor reflect populations");
        require((condition.kind == periodic_kind) == grid.is_box_periodic(a), refused,
                std::string("along ") + "xyz"[a] + " the grid is " +
                    (grid.is_box_periodic(a) ? "periodic" : "not periodic"),
                "periodic belongs to the grid, all other conditions to its fields");
      }
    }
  }
}

bool belongs_to(const FieldRecord& field, const GridState& grid) {
  const auto id = static_cast<std::size_t>(field.id);
  const auto& fields = grid.root->fields;
  return id < fields.size() && fields[id].get() == &field && field.grid == grid.number;
}

/// Checks that what a stage reads lies on its own grid, on the grid that its own is coarsened from,
/// or on one that is coarsened from its own.
void check_grids(const Stage& stage) {
  const auto grid = grid_of(stage);
  const std::string mixes = "stage '" + stage.name + "' mixes grids";
  const auto reads = [&](const auto& is_such) {
    return std::any_of(stage.arguments.begin(), stage.arguments.end(), [&](const auto& argument) {
      return argument.grid && is_such(*argument.grid);
    });
  };
  require(!reads([&](const GridState& other) { return grid->finer == &other; }) ||
              !reads([&](const GridState& other) { return other.finer == grid.get(); }),
          mixes, "it reads a finer and a coarser one than it writes", "make two stages of it");
  for (const StageArgument& argument : stage.arguments) {
    if (!argument.field || argument.grid == grid) continue;
    const std::string& name = argument.field->name;
    require(argument.access == Access::in, mixes, "it writes '" + name + "' and a field of another",
            "make two stages of it");
    require(index_map(*grid, *argument.grid).has_value(), mixes,
            "'" + name + "' lives on one, what the stage works on is another",
            "one stage works on one grid, or on one and another that is coarsened from it");
    require(!argument.field->in_place, mixes, "'" + name + "' is stored in place",
            "store it without InPlace");
    require(!stage.columns, mixes, "it sweeps columns", "read '" + name + "' in another stage");
    require(stage.handovers.empty(), mixes, "its functors are fused", "apply them one by one");
  }
}

void check_sweep(const Stage& stage) {
  const StageArgument* first = nullptr;
  for (const auto& argument : stage.arguments) {
    if (!argument.field) continue;
    if (!first) first = &argument;
    check_boundaries(*argument.field, *argument.grid);
  }
  require(first != nullptr, "stage '" + stage.name + "' has no fields",
          "a field tells which cells it runs over", "pass one");
  check_grids(stage);
  for (const Handover& handover : stage.handovers) {
    require(handover.grid == first->grid, "stage '" + stage.name + "' mixes grids",
            "'" + first->field->name + "' and '" + handover.field->name + "' live on two",
            "one stage works on one grid");
  }
  if (!stage.mask) return;
  require(belongs_to(*stage.mask, *grid_of(stage)), "mask of stage '" + stage.name + "' is refused",
          "'" + stage.mask->name + "' lives on another grid");
  require(stage.mask->order == first->field->order, "mask of stage '" + stage.name + "' is refused",
          "'" + stage.mask->name + "' has another memory layout than '" + first->field->name + "'",
          "declare both with the same layout");
  check_boundaries(*stage.mask, *grid_of(stage));
}

/// Checks that the stage can compute ghosts of a field that one of its functors hands to another,
/// with the bits that they would have in memory.
void check_ghosts(const Stage& stage, const Handover& handover) {
  using Kind = BoundaryCondition::Kind;
  const FieldRecord& field = *handover.field;
  const std::string refused = "stage '" + stage.name + "' cannot be fused";
  for (int a = 0; a < 3; ++a) {
    const bool is_read = handover.beyond_ends[a] || sets_wall(field, a);
    if (!is_read || handover.grid->is_periodic(a)) continue;
    const std::string reads =
        "'" + handover.reader + "' reads '" + field.name + "' beyond the ends along " + "xyz"[a];
    for (const BoundarySet& component : field.boundary) {
      for (const auto& side : component.sides[static_cast<std::size_t>(a)]) {
        require(side.kind == Kind::constant && !side.varying, refused,
                reads + ", where it is neither periodic nor constant",
                "apply the functors one by one");
      }
    }
    require(handover.walls.has_value(), refused, reads + ", where it is constant",
            "pass the field as walled(" + field.name + ")");
    for (const BoundarySet& component : field.boundary) {
      require(component == field.boundary.front(), refused,
              reads + ", where its components have different constants",
              "apply the functors one by one");
    }
    require(*handover.walls == field.boundary.front(), refused,
            "the boundary of '" + field.name + "' has changed since", "set it before");
  }
}

/// Checks that a stage limited to a region or a mask reads no neighbouring values of a field that
/// it stores, as it computes none of them outside.
void check_handovers(const Stage& stage) {
  bool some_beside = false;
  for (const Handover& handover : stage.handovers) {
    check_ghosts(stage, handover);
    for (const bool beside : handover.beside) some_beside = some_beside || beside;
  }
  for (const Handover& handover : stage.handovers) {
    require(stage.covers_everything() || !some_beside || !handover.is_stored,
            "stage '" + stage.name + "' cannot be limited to a part of the grid",
            "'" + handover.reader + "' would read values of '" + handover.field->name +
                "' that the stage does not renew",
            "make it an Intermediate, or apply the functors one by one");
  }
}

const BoundarySet& sides_of(const FieldRecord& field, int component) {
  const auto& all = field.faces.empty() ? field.boundary : field.faces;
  return all[static_cast<std::size_t>(component)];
}

/// Checks names that are swapped: both must fill their ghosts by the same boundary conditions.
void check_same_boundary(const FieldRecord& a, const FieldRecord& b, const std::string& refused) {
  for (int c = 0; c < std::min(a.components, b.components); ++c) {
    for (int axis = 0; axis < 3; ++axis) {
      for (Side side : both_sides) {
        const BoundaryCondition &one = sides_of(a, c).at(static_cast<Axis>(axis), side),
                                &other = sides_of(b, c).at(static_cast<Axis>(axis), side);
        if (one == other) continue;
        const std::string where = std::string(side == Side::low ? "low" : "high") + " side of " +
                                  "xyz"[axis] +
                                  (a.components > 1 ? ", component " + std::to_string(c) : "");
        const bool are_rules =
            one.kind == BoundaryCondition::Kind::custom && other.kind == one.kind;
        require(!are_rules, refused, "whether their rules are the same cannot be told: " + where,
                "make the rule once, rule = custom(...), and give it to both");
        require(false, refused, "their boundary conditions differ: " + where,
                "set the same conditions on both");
      }
    }
  }
}

void check_permutation(const Stage& stage) {
  const FieldRecord& first = *stage.names.front();
  for (const auto& name : stage.names) {
    require(name->inactive == first.inactive,
            "swap of '" + first.name + "' and '" + name->name + "' is refused",
            "cells that are not active have different conditions", "set the same on both");
    const std::string both = "swap of '" + first.name + "' and '" + name->name + "' is refused";
    require(belongs_to(*name, *stage.grid), both, "they live on two grids");
    require(name->location == first.location, both, "their values have different locations");
    check_same_boundary(*name, first, both);
    check_boundaries(*name, *stage.grid);
  }
}

void check_samples(const std::vector<std::shared_ptr<Stage>>& stages,
                   std::set<const Samples*>& seen) {
  for (const auto& stage : stages) {
    if (stage->body) check_samples(stage->body->stages(), seen);
    if (stage->check) check_samples(stage->check->stages(), seen);
    if (!stage->samples) continue;
    require(seen.insert(stage->samples.get()).second, "stage '" + stage->name + "' is refused",
            "a step takes its samples once, this one takes them again",
            "make samples of their own for each stage");
  }
}

}  // namespace

void check_samples(const std::vector<std::shared_ptr<Stage>>& stages) {
  std::set<const Samples*> seen;
  check_samples(stages, seen);
}

void check_stage(const Stage& stage) {
  if (stage.is_sweep()) check_sweep(stage);
  check_handovers(stage);
  if (stage.kind == Stage::Kind::permute) check_permutation(stage);
  const auto grid = grid_of(stage);
  if (grid && grid->active) check_list_stage(stage);
}

}  // namespace goban
