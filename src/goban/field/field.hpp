#pragma once
// A named quantity on a grid.

#include <array>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/field/record.hpp"

namespace goban {

struct FieldOptions {
  Location location = Location::cell;
  const BoundarySet* boundary = nullptr;  ///< conditions of all components; default: the grid's
};
inline std::vector<BoundarySet> boundaries(const FieldOptions& options, const GridState& grid,
                                           int components) {
  return std::vector<BoundarySet>(static_cast<std::size_t>(components),
                                  options.boundary ? *options.boundary : grid.boundary);
}

/// T: what is stored (float, double, half, std::int32_t, std::uint8_t); half computes in float.
/// A field is a name: swap() in a program exchanges what two names stand for.
///
/// InPlace<T> needs half the memory for a step that pulls, such as streaming of lattice Boltzmann:
///   Field<InPlace<float>, 19> f(grid, "f"), next(f, "next");
///   step.apply(StreamCollide{}, in(f), out(next));
///   step.swap(f, next);
/// The functor reads every component of f at one offset, by at most one cell along an axis, so that
/// each value is read for one cell alone, which writes its new value there: `next` is the same
/// memory as f, shifted. It has no values of its own and stands nowhere but in such a pair of
/// stages; f is a field like any other.
/// Data access is by global index, waits for running work, and is collective.
template <class T, int Components = 1, class Layout = ijk>
class Field {
 public:
  using Element = ElementOf<T>;
  using LayoutType = Layout;
  static constexpr int components = Components;

  Field(Grid& grid, const std::string& name, FieldOptions options = {})
      : grid_(grid.state()),
        record_(declare_field(*grid_, {.name = name,
                                       .type = ElementTraits<T>::type,
                                       .components = Components,
                                       .order = Layout::order,
                                       .location = options.location,
                                       .boundary = boundaries(options, *grid_, Components),
                                       .in_place = is_in_place<T>})) {}
  /// Another field like this one; in place: what `of` becomes in a step.
  Field(const Field& of, const std::string& name)
      : grid_(of.grid()), record_(declare_field(*grid_, like(*of.record(), name))) {}
  /// Another handle of a field that is declared already. Error (ExitCode::usage): of another type.
  Field(std::shared_ptr<GridState> grid, std::shared_ptr<FieldRecord> record)
      : grid_(std::move(grid)), record_(std::move(record)) {
    require(record_->type == ElementTraits<T>::type && record_->components == Components &&
                record_->order == Layout::order && record_->in_place == is_in_place<T>,
            "field '" + name() + "' is of another type than the functor was made for");
  }

  const std::string& name() const { return record_->name; }
  const std::shared_ptr<FieldRecord>& record() const { return record_; }
  const std::shared_ptr<GridState>& grid() const { return grid_; }

  /// Sets the condition on one side, of all components or of one, from the next run of an engine
  /// on; default is the grid's.
  Field& boundary(Axis axis, Side side, const BoundaryCondition& condition,
                  std::optional<int> component = {}) {
    return change_boundary(component, [&](BoundarySet& all) { all.at(axis, side) = condition; });
  }
  /// The same on all sides.
  Field& boundary(const BoundarySet& sides, std::optional<int> component = {}) {
    return change_boundary(component, [&](BoundarySet& all) { all = sides; });
  }

  /// Sets, on a grid of active cells, what functors read of a neighbour that is not active; default
  /// mirror, the value of the cell itself. Faces of the box have the conditions above.
  Field& inactive(const BoundaryCondition& condition) {
    require(grid_->active != nullptr, "field '" + name() + "' has no inactive cells",
            "all cells of its grid are active", "set a boundary");
    record_->inactive = condition;
    ++record_->boundary_changes;
    return *this;
  }

  /// Sets all values: a number, f(Position) or f(Index3) for one component; for several components
  /// f(Position, int component) or f(Index3, int component). Called from several threads. Where
  /// neighbours have much in common, f(const CellRow&, double* values) sets a row of them at once,
  /// f(const CellRow&, double* const* values) all components of one. What is too large to be had as
  /// a whole, an image, `prepare` gets ready for one box after another.
  template <class F>
  Field& fill(F value, const BoxFunction& prepare = nullptr) {
    if constexpr (std::is_arithmetic_v<F> || std::is_same_v<F, Element>) {
      if (prepare) return fill([value](Index3) { return value; }, prepare);
      const auto all = static_cast<ArithmeticOf<Element>>(element(value));
      grid_->storage().fill(*record_, static_cast<double>(all));
    } else {
      const auto set = [value](const CellRow& cells, void* const* components) {
        CellRow row = cells;
        row.axis = Layout::order[0];  // a constant
        std::array<Element*, Components> out;
        for (int c = 0; c < Components; ++c) out[c] = static_cast<Element*>(components[c]);
        fill_row(value, row, out);
      };
      grid_->storage().fill(*record_, set, prepare);
    }
    return *this;
  }

  Element get(Index3 index, int component = 0) const {
    check_inside(cell(index));
    check_component(component);
    std::array<Element, Components> values;
    goban::copy_out(*grid_, *record_, cell(index), values.data());
    return values[static_cast<std::size_t>(component)];
  }
  void set(Index3 index, Element value, int component = 0) {
    check_inside(cell(index));
    check_component(component);
    std::array<Element, Components> values;
    goban::copy_out(*grid_, *record_, cell(index), values.data());
    values[static_cast<std::size_t>(component)] = value;
    goban::copy_in(*grid_, *record_, cell(index), values.data());
  }
  /// All values or those of a box, x fastest, component slowest; 0 where no cell is active.
  std::vector<Element> copy_out() const { return copy_out(grid_->box(record_->location)); }
  std::vector<Element> copy_out(const Box& box) const {
    check_inside(box);
    std::vector<Element> elements(static_cast<std::size_t>(box.volume() * Components));
    goban::copy_out(*grid_, *record_, box, elements.data());
    return elements;
  }
  /// The values of cells that this rank has; not collective.
  std::vector<Element> copy_out_own(const Box& box) const {
    std::vector<Element> elements(static_cast<std::size_t>(box.volume() * Components));
    goban::copy_out_own(*grid_, *record_, box, elements.data());
    return elements;
  }
  void copy_in(const std::vector<Element>& elements) {
    copy_in(elements, grid_->box(record_->location));
  }
  void copy_in(const std::vector<Element>& elements, const Box& box) {
    check_inside(box);
    require(static_cast<Index>(elements.size()) == box.volume() * Components,
            "field '" + name() + "' cannot be set",
            "box holds " + std::to_string(box.volume() * Components) + " elements, got " +
                std::to_string(elements.size()));
    goban::copy_in(*grid_, *record_, box, elements.data());
  }
  /// Values of active cells alone, in the order of their list; on other grids all values.
  std::vector<Element> active_values() const {
    const Box all = grid_->domain(record_->location);
    std::vector<Element> elements(static_cast<std::size_t>(all.volume() * Components));
    grid_->storage().copy_out(*record_, all, elements.data());
    return elements;
  }

  /// Memory of the patch with this number among those of this rank, for other libraries and kernels
  /// of your own: on GPUs, of which `stream` is the queue, and on CPUs. Values that lie there are
  /// those of the field until an engine next runs a program on its grid. What is given to other
  /// streams is to be done by then, or see Program::call_on_device. Ghosts of a field that is not
  /// const are made anew before they are read next, so that every rank makes the call. Error
  /// (ExitCode::usage): the field is stored in place, or its grid has active cells.
  DeviceView<Element> device_view(int patch = 0) {
    return DeviceView<Element>(
        view_of_patch(grid_->storage().views(*record_, ViewAccess::write), patch, name()));
  }
  DeviceView<const Element> device_view(int patch = 0) const {
    return DeviceView<const Element>(
        view_of_patch(grid_->storage().views(*record_, ViewAccess::read), patch, name()));
  }

  double sum(int component = 0) const {
    check_component(component);
    return grid_->storage().sum(*record_, component);
  }
  double minimum(int component = 0) const {
    check_component(component);
    return grid_->storage().minimum(*record_, component);
  }
  double maximum(int component = 0) const {
    check_component(component);
    return grid_->storage().maximum(*record_, component);
  }
  std::uint64_t checksum() const { return grid_->storage().checksum(*record_); }

 private:
  template <class Change>
  Field& change_boundary(std::optional<int> component, const Change& change) {
    if (component) check_component(*component);
    for (int c = 0; c < Components; ++c) {
      auto& sides = grid_->active ? record_->faces : record_->boundary;
      if (!component || c == *component) change(sides[static_cast<std::size_t>(c)]);
    }
    ++record_->boundary_changes;
    return *this;
  }
  static FieldRecord like(const FieldRecord& of, const std::string& name) {
    FieldRecord record = of;
    record.name = name;
    record.is_output = false;
    if (is_in_place<T>) record.in_place_of = of.id;
    return record;
  }
  /// Fills a row, one value after the other or as a row of numbers.
  template <class F>
  static void fill_row(const F& value, const CellRow& row,
                       const std::array<Element*, Components>& out) {
    const auto each = [&](auto&& value_at) {
      for (int c = 0; c < Components; ++c) {
        for (Index i = 0; i < row.count; ++i) out[c][i] = element(value_at(i, c));
      }
    };
    if constexpr (std::invocable<const F&, Position, int>) {
      each([&](Index i, int c) { return value(row.position(i), c); });
    } else if constexpr (std::invocable<const F&, Index3, int>) {
      each([&](Index i, int c) { return value(row.index(i), c); });
    } else if constexpr (std::invocable<const F&, Position>) {
      each([&](Index i, int) { return value(row.position(i)); });
    } else if constexpr (std::invocable<const F&, Index3>) {
      each([&](Index i, int) { return value(row.index(i)); });
    } else {
      std::array<std::array<double, CellRow::most>, Components> numbers;
      if constexpr (std::invocable<const F&, const CellRow&, double* const*>) {
        std::array<double*, Components> rows;
        for (int c = 0; c < Components; ++c) rows[c] = numbers[c].data();
        value(row, static_cast<double* const*>(rows.data()));
      } else {
        static_assert(Components == 1 && std::invocable<const F&, const CellRow&, double*>,
                      "goban: fill takes a number, f(Position), f(Index3), these with a component, "
                      "or a function of rows");
        value(row, numbers[0].data());
      }
      each([&](Index i, int c) { return numbers[c][i]; });
    }
  }
  template <class V>
  static Element element(V value) {
    if constexpr (std::is_same_v<Element, half> && !std::is_same_v<V, half>) {
      return half(static_cast<float>(value));
    } else {
      return static_cast<Element>(value);
    }
  }
  void check_component(int component) const {
    require(component >= 0 && component < Components,
            "component " + std::to_string(component) + " is refused",
            "field '" + name() + "' has " + std::to_string(Components) + ", counted from 0");
  }
  static Box cell(Index3 i) { return {i, i + Index3{1, 1, 1}}; }
  void check_inside(const Box& box) const {
    require(grid_->box(record_->location).contains(box), "box " + to_string(box) + " is refused",
            "field '" + name() + "' has " + to_string(grid_->box(record_->location)));
  }

  std::shared_ptr<GridState> grid_;
  std::shared_ptr<FieldRecord> record_;
};

}  // namespace goban
