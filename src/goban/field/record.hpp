#pragma once
// What is known of a field before it has storage.

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "goban/field/memory_view.hpp"
#include "goban/grid/blocks.hpp"
#include "goban/grid/grid.hpp"

namespace goban {

/// Memory order of the grid axes, fastest first, as a template argument of Field.
struct ijk {
  static constexpr std::array<int, 3> order = {0, 1, 2};
};
struct kij {
  static constexpr std::array<int, 3> order = {2, 0, 1};
};

/// Neighbouring values of a field along the axis that is fastest in memory: what functions that
/// fill it are shown. Indices are global.
struct CellRow {
  static constexpr Index most = 256;  ///< values of a row

  Index3 first{};
  Position start{};  ///< the position of the first value
  int axis = 0;
  Index count = 0;
  double origin = 0, offset = 0, spacing = 1;  ///< along the axis, see GridState::coordinate

  Index3 index(Index i) const {
    Index3 at = first;
    at[static_cast<std::size_t>(axis)] += i;
    return at;
  }
  double coordinate(Index i) const {
    const Index at = first[static_cast<std::size_t>(axis)] + i;
    return origin + (static_cast<double>(at) + offset) * spacing;
  }
  Position position(Index i) const {
    Position at = start;
    (axis == 0 ? at.x : axis == 1 ? at.y : at.z) = coordinate(i);
    return at;
  }
};

/// Writes the values of a row, as stored elements, one after the other, of each component.
using RowFunction = std::function<void(const CellRow& row, void* const* components)>;

struct FieldRecord {
  std::string name;
  int id = -1;        ///< position in GridState::fields
  int grid = 0;       ///< number of its grid in the family
  int image_of = -1;  ///< id of the field whose values these are, on an image of its grid
  ElementType type = ElementType::float32;
  int components = 1;
  std::array<int, 3> order = ijk::order;
  Location location = Location::cell;
  std::vector<BoundarySet> boundary{BoundarySet{}};  ///< one per component
  /// Conditions on grids of active cells: beyond the faces of their box, per component (`boundary`
  /// is that of their list), and for cells of it that are not active.
  std::vector<BoundarySet> faces{};
  BoundaryCondition inactive = mirror;
  bool is_table = false;     ///< goban's own: no program names it
  bool in_place = false;     ///< every component in a ring, see InPlace
  int in_place_of = -1;      ///< id of the field whose next values these are, in the same memory
  int boundary_changes = 0;  ///< schedules and ghosts are made for one set of conditions
  bool is_output =
      false;  ///< keep it alive at the end of a step although the program may not need it

  std::size_t element_size() const { return size_of(type); }

  const BoundaryCondition& condition(int component, int axis, Side side) const {
    return boundary[static_cast<std::size_t>(component)].at(static_cast<Axis>(axis), side);
  }
  /// See BoundaryCondition::is_timed.
  bool has_timed_ghosts() const {
    return std::any_of(boundary.begin(), boundary.end(),
                       [](const BoundarySet& sides) { return sides.is_timed(); });
  }

  /// What lies beyond the low and the high end of an axis, if that never changes.
  std::optional<std::array<double, 2>> constants_beyond(int component, int axis) const {
    std::array<double, 2> values{};
    for (Side side : both_sides) {
      const BoundaryCondition& condition = this->condition(component, axis, side);
      if (condition.kind != BoundaryCondition::Kind::constant || condition.varying) return {};
      values[index_of(side)] = condition.value;
    }
    if (is_staggered(location, axis)) return {};  // wall faces are written with the others
    return values;
  }
  /// All components have constants there.
  bool is_constant_beyond(int axis) const {
    for (int c = 0; c < components; ++c) {
      if (!constants_beyond(c, axis)) return false;
    }
    return true;
  }
  /// Whether constants lie also where the halo's other sides meet both ends of the axis.
  bool has_constants_at_corners(int component, int axis) const {
    const auto constants = constants_beyond(component, axis);
    if (!constants) return false;
    for (int other = 0; other < 3; ++other) {
      if (other == axis) continue;
      for (Side side : both_sides) {
        const BoundaryCondition& condition = this->condition(component, other, side);
        using Kind = BoundaryCondition::Kind;
        const bool is_copied = condition.kind == Kind::periodic || condition.kind == Kind::mirror;
        const bool is_same = condition.kind == Kind::constant && !condition.varying &&
                             *constants == std::array{condition.value, condition.value};
        if (!is_copied && !is_same) return false;
      }
    }
    return true;
  }
};

/// The door from a field's name to its data, implemented by the domain. All indices are global and
/// refer to owned values; every call waits for work in flight.
class FieldStore {
 public:
  virtual ~FieldStore();
  /// The family has grids that the store has not seen. Collective.
  virtual void add_grids() = 0;
  /// Sets every owned cell; `value` is called from several threads. With `prepare`, one box of some
  /// MiB after the other: it is shown the box, of this rank's cells, and then come the values.
  virtual void fill(const FieldRecord& field, const RowFunction& value,
                    const BoxFunction& prepare) = 0;
  /// Sets every owned cell to a value that its elements can hold.
  virtual void fill(const FieldRecord& field, double value) = 0;
  /// Elements of `box`, x fastest, component slowest.
  virtual void copy_out(const FieldRecord& field, const Box& box, void* elements) = 0;
  /// The same of a box this rank has, of a field that has been set; not collective.
  virtual void copy_out_own(const FieldRecord& field, const Box& box, void* elements) = 0;
  virtual void copy_in(const FieldRecord& field, const Box& box, const void* elements) = 0;
  /// Owned values of one component, order-independent.
  virtual double sum(const FieldRecord& field, int component) = 0;
  virtual double minimum(const FieldRecord& field, int component) = 0;
  virtual double maximum(const FieldRecord& field, int component) = 0;
  /// 64-bit hash of all owned values, independent of decomposition and order.
  virtual std::uint64_t checksum(const FieldRecord& field) = 0;
  /// Views of the patches that this rank has. Collective where values are to be written. Error
  /// (ExitCode::usage): the field is stored in place, or its grid has active cells.
  virtual std::vector<MemoryView> views(const FieldRecord& field, ViewAccess access) = 0;
  /// Views that were made when this was another number have ended.
  virtual std::int64_t views_number() const = 0;
  /// Work of others in this CUstream waits for what goban has given the device so far. What goban
  /// does next waits for all that anybody has given the device; null: for that alone.
  virtual void lend(const MemoryView& view, void* stream) = 0;
  /// Calls the function for each patch of this rank, in the order of work on their devices: of a
  /// rank with one GPU, all that the function puts into the stream of its views; else the host
  /// waits before and after. All fields are of one grid. Collective.
  virtual void call_on_device(const std::vector<ViewedField>& fields,
                              const DeviceFunction& function) = 0;
};

/// Values of a box as users count cells, x fastest, component slowest: of active cells, those of a
/// box that they lie in, 0 where no cell is active; `copy_in` leaves those out. Collective but for
/// copy_out_own, of which what other ranks have is 0 of active cells.
void copy_out(GridState& grid, const FieldRecord& field, const Box& box, void* elements);
void copy_out_own(GridState& grid, const FieldRecord& field, const Box& box, void* elements);
void copy_in(GridState& grid, const FieldRecord& field, const Box& box, const void* elements);

/// Adds a field to its grid; names are those of a family. One that nobody else refers to any more
/// gives its name to another, and its memory when memory is next needed. Errors (ExitCode::usage):
/// a name used twice or empty.
std::shared_ptr<FieldRecord> declare_field(GridState& grid, FieldRecord record);

}  // namespace goban
