#pragma once
// The global grid: cells, spacing, origin, the boundary conditions fields start with.

#include <memory>
#include <string>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/boundary/boundary.hpp"
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

/// Shared by the grid's fields, the programs over it and the store that holds its data.
struct GridState {
  GridContext* context = nullptr;
  Index3 cells;
  Real3 spacing;
  Real3 origin;
  BoundarySet boundary;
  std::vector<std::shared_ptr<FieldRecord>> fields;
  std::unique_ptr<FieldStore> store;  ///< made at first access
  std::array<bool, 3> is_whole{};     ///< axes that columns run along: no patch ends within them

  GridState();
  ~GridState();

  bool is_periodic(int axis) const { return boundary.sides[axis][0].kind == periodic_kind; }
  /// Indices a field at `location` has in all: one more along an axis where a walled face field
  /// ends.
  Box domain(Location location) const;
  /// Coordinates of the value with this index; (i + 1/2) h for cells, i h for faces.
  Position position(Index3 index, Location location) const {
    return {coordinate(0, index[0], location), coordinate(1, index[1], location),
            coordinate(2, index[2], location)};
  }
  /// Along one axis.
  double coordinate(int axis, Index index, Location location) const {
    const double offset = is_staggered(location, axis) ? 0.0 : 0.5;
    const auto a = static_cast<std::size_t>(axis);
    return origin[a] + (static_cast<double>(index) + offset) * spacing[a];
  }
  FieldStore& storage();
};

/// A declaration: storage is made when a simulation starts or at first access.
/// Errors (ExitCode::usage): an axis without cells, a spacing that is not positive, periodic on one
/// side only.
class Grid {
 public:
  Grid(GridContext& context, const GridOptions& options);

  Index3 cells() const { return state_->cells; }
  Real3 spacing() const { return state_->spacing; }
  Real3 origin() const { return state_->origin; }
  const std::shared_ptr<GridState>& state() const { return state_; }

 private:
  std::shared_ptr<GridState> state_;
};

}  // namespace goban
