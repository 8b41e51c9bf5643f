#include "goban/program/ghost_operations.hpp"

#include "goban/base/error.hpp"

namespace goban {
namespace {

/// Values beside the boundary that ghosts may mirror; about a wall face lies what is beside it.
Index values_inside(const PatchGeometry& patch, const FieldRecord& field, int axis) {
  return patch.owned_local(field.location).extent(axis) -
         (is_staggered(field.location, axis) ? 1 : 0);
}

/// The wall face at the far end is among the values that ghosts on the low side are made of.
bool reads_far_wall(const PatchGeometry& patch, const FieldRecord& field, int component, int axis,
                    Index width) {
  const BoundaryCondition& low = field.condition(component, axis, Side::low);
  const Index deepest =
      low.kind == BoundaryCondition::Kind::custom ? Index{GhostCell::most} : width;
  return width > 0 && !patch.is_interior(axis, Side::high) &&
         sets_wall(field, component, axis, Side::high) &&
         deepest >= values_inside(patch, field, axis);
}

Operation make_fill(const PatchGeometry& patch, const FieldRecord& field, Component what,
                    const Extents& need, int axis, Side side, FillSpan span, Index width) {
  const Index wall = sets_wall(field, what.component, axis, side) ? 1 : 0;
  const Box owned = patch.owned_local(field.location);
  Operation op;
  op.kind = Operation::Kind::fill;
  op.patch = patch.patch;
  op.what = what;
  op.axis = axis;
  op.side = side;
  op.box = owned;
  const Extents inside = patch.interior(need);
  for (int b = 0; b < 3; ++b) {
    if (b == axis) continue;
    if (b < axis && span.corners) {
      op.box.lower[b] -= need.low[b];
      op.box.upper[b] += need.high[b];
    } else if (b > axis && span.computed_ahead) {
      op.box.lower[b] -= inside.low[b];
      op.box.upper[b] += inside.high[b];
    }
  }
  if (side == Side::low) {
    op.box.upper[axis] = wall;
    op.box.lower[axis] = -width;
  } else {
    op.box.lower[axis] = owned.upper[axis] - wall;
    op.box.upper[axis] = owned.upper[axis] + width;
  }
  return op;
}

}  // namespace

bool sets_wall(const FieldRecord& field, int component, int axis, Side side) {
  return is_staggered(field.location, axis) &&
         field.condition(component, axis, side).kind == BoundaryCondition::Kind::wall_value;
}

bool sets_wall(const FieldRecord& field, int axis, Side side) {
  for (int c = 0; c < field.components; ++c) {
    if (sets_wall(field, c, axis, side)) return true;
  }
  return false;
}

bool sets_wall(const FieldRecord& field, int axis) {
  return sets_wall(field, axis, Side::low) || sets_wall(field, axis, Side::high);
}

bool sets_wall(const FieldRecord& field) {
  return sets_wall(field, 0) || sets_wall(field, 1) || sets_wall(field, 2);
}

Piece halo_piece(Component what, int item, const PatchGeometry& patch, const PatchGeometry& other,
                 int axis, Side side, Index width, Box target) {
  Index3 to_source{};
  if (side == Side::low) {
    target.upper[axis] = 0;
    target.lower[axis] = -width;
    to_source[axis] = other.owned.extent(axis);
  } else {
    target.lower[axis] = patch.owned.extent(axis);
    target.upper[axis] = target.lower[axis] + width;
    to_source[axis] = -patch.owned.extent(axis);
  }
  return {what, item, shifted(target, to_source), target};
}

/// What to change where a halo or a boundary of this width is wider than the cells behind it:
/// `of_patches`, if there are several.
static std::string advice_on_width(bool is_cut, const char* of_patches, Index width, int axis) {
  if (is_cut) return of_patches;
  return std::string("take ") + std::to_string(width) + " cells or more along " + "xyz"[axis] +
         ", or a stencil that reaches less far";
}

void require_fit(const Patches& patches, const FieldRecord& field, const Extents& need) {
  const Decomposition& decomposition = patches.decomposition(field.grid);
  for (int axis = 0; axis < 3; ++axis) {
    const Index last = decomposition.process_grid()[axis] - 1;
    const bool wraps = patches.is_periodic(field.grid, axis);
    const bool has_faces = is_staggered(field.location, axis);
    Index halo = 0, boundary = 0;  // the widest of those that do not fit
    Index smallest = decomposition.extent(axis, 0), beside_wall = 0;
    for (Index n = 1; n <= last; ++n) smallest = std::min(smallest, decomposition.extent(axis, n));
    for (Side side : both_sides) {
      const Index width = need.on(axis, side);
      if (width == 0) continue;
      // What lies on a patch's low side comes from the high end of the one before.
      const bool is_low = side == Side::low;
      const Index first_source = is_low || wraps ? 0 : 1;
      const Index last_source = is_low && !wraps ? last - 1 : last;
      for (Index n = first_source; n <= last_source; ++n) {
        if (width > decomposition.extent(axis, n)) halo = std::max(halo, width);
      }
      if (wraps) continue;
      const Index most = decomposition.extent(axis, is_low ? 0 : last);
      const Index inside = has_faces && last > 0 && is_low ? most - 1 : most;
      if (width > inside && width > boundary) boundary = width, beside_wall = inside;
    }
    require(halo == 0, "halo of field '" + field.name + "' does not fit",
            "it is " + std::to_string(halo) + " cells wide, the smallest patch has " +
                std::to_string(smallest) + " along " + "xyz"[axis],
            advice_on_width(last > 0, "use fewer patches or fewer steps per exchange", halo, axis));
    require(
        boundary == 0, "boundary of field '" + field.name + "' does not fit",
        "it needs " + std::to_string(boundary) + (has_faces ? " faces beside the wall" : " cells") +
            ", the patch has " + std::to_string(beside_wall) + " along " + "xyz"[axis],
        advice_on_width(last > 0, "use fewer patches", has_faces ? boundary + 1 : boundary, axis));
  }
}

std::vector<Operation> boundary_fills(const PatchGeometry& patch, const FieldRecord& field,
                                      Component what, const Extents& need, int axis, Side side,
                                      FillSpan span) {
  std::vector<Operation> fills;
  const Index width = need.on(axis, side);
  if (width == 0 && !sets_wall(field, what.component, axis, side)) return fills;
  if (side == Side::low && reads_far_wall(patch, field, what.component, axis, width)) {
    fills.push_back(make_fill(patch, field, what, need, axis, Side::high, span, 0));
  }
  fills.push_back(make_fill(patch, field, what, need, axis, side, span, width));
  return fills;
}

}  // namespace goban
