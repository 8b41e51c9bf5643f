#pragma once
// The global grid: cells, spacing, origin, the boundary conditions fields start with.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/boundary/boundary.hpp"
#include "goban/grid/active_cells.hpp"
#include "goban/grid/box.hpp"
#include "goban/grid/location.hpp"
#include "goban/grid/settings.hpp"

namespace goban {

struct FieldRecord;
class FieldStore;
struct GridState;
struct MachineRates;
class Timeline;

/// A point in space, in the grid's length unit.
struct Position {
  double x = 0, y = 0, z = 0;
};
inline double dot(Position a, Position b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Position operator-(Position a, Position b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

/// Edge lengths of a cell; one number for cubes.
struct Spacing {
  Real3 value{1, 1, 1};
  Spacing() = default;
  Spacing(double h) : value{h, h, h} {}  // NOLINT: `.spacing = 1e-3` is the idiom
  Spacing(double x, double y, double z) : value{x, y, z} {}
  Spacing(Real3 h) : value(h) {}  // NOLINT
};

struct GridOptions {
  Index3 cells{1, 1, 1};
  Spacing spacing{};
  Real3 origin{0, 0, 0};  ///< lower corner of cell (0, 0, 0)
  BoundarySet boundary{};
  Active active{};  ///< cells that there are; default: all of the box. See docs/sparse.md
};

/// What a solver does on a grid each time that it comes to it.
struct GridVisit {
  Index3 cells{1, 1, 1};
  double sweeps = 0;          ///< each after an exchange of halos
  double bytes_per_cell = 0;  ///< bytes that a sweep reads and writes
  double bytes_per_value = 8;
};

/// How a grid is cut that is coarsened from another.
struct CoarseningOptions {
  /// Process grid. 0 along an axis: as the finer grid, each of its cuts halved; fewer pieces where
  /// these would be thin.
  Index3 patches{0, 0, 0};
  /// Visits of this grid and of those that will be coarsened from it. Where `patches` leaves the
  /// cuts open the grid is gathered on one device if they are predicted to be over earlier so.
  std::vector<GridVisit> visits{};
};

/// What a grid needs of the runtime above it: settings and somewhere to keep its fields.
class GridContext {
 public:
  virtual ~GridContext();
  virtual const Settings& settings() const = 0;
  virtual std::unique_ptr<FieldStore> make_store(GridState& grid) = 0;
  /// What it runs on, the same on every rank: process grids and ways to run a step follow from it.
  virtual const MachineRates& machine() const = 0;
  /// The ranks that share its grids.
  virtual std::shared_ptr<Communicator> communicator() { return self_communicator(); }
  /// What takes a trace of the run; null: nobody asked for one.
  virtual Timeline* timeline() { return nullptr; }
};

/// Shared by the grid's fields, the programs over it and the store that holds its data. A grid and
/// all that are coarsened from it are a family, with one list of fields and one store.
struct GridState {
  GridContext* context = nullptr;
  /// The number in the family; 0: the grid that is coarsened from no other.
  int number = 0;
  GridState* root;             ///< grid 0 of the family, which owns the others
  GridState* finer = nullptr;  ///< the grid that this one is coarsened from
  Index3 ratio{1, 1, 1};       ///< 1 or 2 per axis: cells of the finer grid to one
  CoarseningOptions coarsening{};
  /// Where a grid is not cut as its finer one, stages that work on both do so on an image of it
  /// that is: the number of the image, and of what it is an image of; -1: none.
  int image = -1, image_of = -1;
  std::vector<std::unique_ptr<GridState>> coarser;  ///< the others by number, in the root alone
  Index3 cells;  ///< cells of the box, or of the list of active cells, which lies along x
  Real3 spacing;
  Real3 origin;
  BoundarySet boundary;  ///< what is beyond the ends, or the faces of the box of active cells
  /// Along Morton's curve, as users count them. Null: the grid has all cells of its box.
  std::shared_ptr<const ActiveCells> active;
  /// The same cells in the order in which patches have them, see order_list().
  std::shared_ptr<const ActiveCells> list;
  std::vector<std::shared_ptr<FieldRecord>> fields;  ///< those of the family, in the root alone
  std::unique_ptr<FieldStore> store;                 ///< in the root alone; made at first access
  std::array<bool, 3> is_whole{};  ///< axes that columns run along: no patch ends within them

  GridState();
  ~GridState();
  GridState(const GridState&) = delete;
  GridState& operator=(const GridState&) = delete;

  /// Another grid of the family.
  GridState& member(int other) const {
    return other == 0 ? *root : *root->coarser[static_cast<std::size_t>(other) - 1];
  }
  /// Adds a grid to the family: this one with its cells put together.
  GridState& add_coarser(Index3 ratio, CoarseningOptions options, int image_of = -1);
  /// Lists of active cells are not: the box that these lie in may be.
  bool is_periodic(int axis) const { return !active && is_box_periodic(axis); }
  bool is_box_periodic(int axis) const { return boundary.sides[axis][0].kind == periodic_kind; }
  /// Cells of the box that the grid lies in, as users count them.
  Index3 box_cells() const { return active ? active->box() : cells; }
  /// Indices a field at `location` has in all: one more along an axis where a walled face field
  /// ends.
  Box domain(Location location) const;
  /// The same as users count them: of active cells, all of their box.
  Box box(Location location) const {
    return active ? Box{{0, 0, 0}, active->box()} : domain(location);
  }
  /// Coordinates of the value with this index; (i + 1/2) h for cells, i h for faces.
  Position position(Index3 index, Location location) const {
    return {coordinate(0, index[0], location), coordinate(1, index[1], location),
            coordinate(2, index[2], location)};
  }
  /// The coordinate along one axis.
  double coordinate(int axis, Index index, Location location) const {
    const double offset = is_staggered(location, axis) ? 0.0 : 0.5;
    const auto a = static_cast<std::size_t>(axis);
    return origin[a] + (static_cast<double>(index) + offset) * spacing[a];
  }
  FieldStore& storage();
};

/// Keeps the whole family.
inline std::shared_ptr<GridState> member_of(const std::shared_ptr<GridState>& family, int number) {
  return {family, &family->member(number)};
}

/// A declaration: storage is made when a simulation starts or at first access.
/// Errors (ExitCode::usage): an axis without cells, a spacing that is not positive, periodic on one
/// side only, no active cell.
class Grid {
 public:
  Grid(GridContext& context, const GridOptions& options);
  /// A handle of the grid of a field, a stage or a program: Grid(u.grid()).
  explicit Grid(std::shared_ptr<GridState> state) : state_(std::move(state)) {}

  /// A grid of the same family that covers the same region with fewer cells: along every axis one
  /// takes the place of `ratio` cells, 1 or 2. Cell I consists of cells ratio I ... ratio I + ratio
  /// - 1; faces, edges and nodes with index I lie where those with index ratio I do. Boundary
  /// conditions are those of this grid. Stages may read fields of a grid and write those of the one
  /// that it is coarsened from, or the other way: see docs/several-grids.md.
  /// Errors (ExitCode::usage): another ratio, a number of cells that it does not divide.
  Grid coarsened(Index3 ratio, const CoarseningOptions& options = {}) const;

  Index3 cells() const { return state_->box_cells(); }
  /// The cells that are active; null: all cells of the box are.
  const std::shared_ptr<const ActiveCells>& active() const { return state_->active; }
  Real3 spacing() const { return state_->spacing; }
  Real3 origin() const { return state_->origin; }
  const std::shared_ptr<GridState>& state() const { return state_; }

 private:
  std::shared_ptr<GridState> state_;
};

}  // namespace goban
