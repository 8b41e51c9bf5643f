#pragma once
// The arguments with which kernels of functors are called.

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "goban/base/exact_sum.hpp"
#include "goban/base/fetch.hpp"
#include "goban/grid/index_map.hpp"
#include "goban/program/stage.hpp"
#include "goban/stencil/site.hpp"

namespace goban {

/// Where the components of a field stored in place lie at present.
struct ComponentPlaces {
  const std::byte* memory = nullptr;  ///< the same for all fields that share the memory
  std::vector<Index> offset;          ///< per component: elements from component 0
  Index moves = 0;                    ///< how often the cells have moved
};

/// Where a kernel finds one field. Pointers lead to component 0 of local cell (0, 0, 0).
struct FieldBinding {
  const std::byte* read = nullptr;
  std::byte* write = nullptr;
  std::array<Index, 3> stride{};  ///< elements, per grid axis
  Index component_stride = 0;     ///< elements between components; unused with `places`
  std::shared_ptr<const ComponentPlaces> places;  ///< null unless stored in place
  Box clip{};                                     ///< the local cells that a store may touch
  bool from_memory = false;  ///< it is too large for the caches, so fetching ahead pays
  /// Maps cells to those of another grid on which the field lies; the identity for the same grid.
  /// Otherwise `read` points to global cell (0, 0, 0) of that grid, and offsets count from the cell
  /// that the current cell is mapped to.
  IndexMap map{};

  /// Returns the elements from component 0 to component c.
  Index component_offset(Index c) const {
    return places ? places->offset[static_cast<std::size_t>(c)] : c * component_stride;
  }
};

/// Where a kernel puts the ends of the rows of one output: cells below `low_end` and from
/// `high_begin` on, in whole packs, whatever lies beyond the cells to update. Packs between
/// `kept_below` and `kept_from` go to memory as well. The others do not; their lines are written
/// later, when their ghosts, and faces on walls, are known.
struct RowEndsBinding {
  /// Address of local cell (0, 0, 0) per component; null: ends go to memory as all cells do.
  std::vector<std::byte*> component;
  std::array<Index, 3> stride{};                        ///< elements, per grid axis
  Index low_end = 0, high_begin = 0;                    ///< multiples of 64 bytes
  Index kept_below = 0;                                 ///< a multiple of 64 bytes
  Index kept_from = std::numeric_limits<Index>::max();  ///< a multiple of 64 bytes, too
  Index gap = 0;  ///< elements that are left out between the two ends
};

/// Accumulates a reduction. Sums are exact, so that the order of additions does not matter. If any
/// value is NaN the result is NaN, always with the same bits.
struct Reducer {
  Reduction kind = Reduction::sum;
  ExactSum sum;
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  /// Kept apart from the extrema, which skip NaN, so that their chains of operations stay short.
  bool has_nan = false;

  /// Adds n values. T is any element type that a field stores.
  template <class T>
  void add(const T* values, Index n) {
    if (kind == Reduction::sum) return sum.add(values, n);
    for (Index i = 0; i < n; ++i) {
      const auto value = static_cast<double>(static_cast<ArithmeticOf<T>>(values[i]));
      minimum = std::min(minimum, value);
      maximum = std::max(maximum, value);
      has_nan |= value != value;
    }
  }
  void merge(const Reducer& other) {
    sum.merge(other.sum);
    minimum = std::min(minimum, other.minimum);
    maximum = std::max(maximum, other.maximum);
    has_nan |= other.has_nan;
  }
  double value() const {
    if (kind == Reduction::sum) return sum.value();
    if (has_nan) return std::numeric_limits<double>::quiet_NaN();
    // Which of several zeros is met first depends on the order: +0 stands for all.
    return (kind == Reduction::minimum ? minimum : maximum) + 0.0;
  }
};

/// Fetches lines of memory into the first-level cache, spread evenly over other work: a burst of
/// fetches would take all the buffers that the work needs for its own cache misses.
class LineFetcher {
 public:
  /// Starts work on this number of cells, with nothing to fetch yet.
  void start(Index cells) {
    rows_.clear();
    at_ = {};
    lines_ = credit_ = 0;
    cells_ = cells;
  }
  /// Adds `rows` rows of `lines` lines of 64 bytes; rows are `stride` bytes apart.
  void add(const std::byte* first, Index stride, Index rows, Index lines) {
    if (rows <= 0 || lines <= 0) return;
    rows_.push_back({first, stride, rows, lines});
    lines_ += rows * lines;
  }
  /// Must be called before work on this number of cells; fetches their share of lines.
  void operator()(Index cells) {
    credit_ += cells * lines_;
    for (; credit_ >= cells_ && at_.place < rows_.size(); credit_ -= cells_) next();
  }

 private:
  struct Rows {
    const std::byte* first;
    Index stride, rows, lines;
  };
  void next() {
    constexpr Index line = 64;
    const Rows& rows = rows_[at_.place];
    fetch<CacheLevel::first>(rows.first + at_.row * rows.stride + at_.line * line);
    if (++at_.line < rows.lines) return;
    at_.line = 0;
    if (++at_.row < rows.rows) return;
    at_ = {at_.place + 1, 0, 0};
  }

  std::vector<Rows> rows_;
  struct {
    std::size_t place = 0;
    Index row = 0, line = 0;
  } at_;
  Index lines_ = 0, cells_ = 1, credit_ = 0;
};

/// Where the scratch memory of column stages lies; see stencil/scratch.hpp.
struct ScratchBinding {
  std::byte* memory = nullptr;    ///< address of component 0 of local cell (0, 0, 0)
  std::array<Index, 3> stride{};  ///< elements, per grid axis
  Index component = 0;            ///< elements to the next component
  Index previous = 0;             ///< elements to the level that was visited before
};

/// Everything that one call of a sweep kernel needs.
struct SweepCall {
  const FieldBinding* fields = nullptr;  ///< one per argument; unused for site and value arguments
  const double* values = nullptr;        ///< one per argument; used by value arguments
  /// The addresses of these values in the device's memory; null if all are in `values`.
  const double* const* numbers = nullptr;
  const FieldBinding* mask = nullptr;  ///< uint8 field: only cells with a nonzero mask are stored
  SiteInfo site{};                     ///< site.index: global index of local cell (0, 0, 0)
  Box box{};                           ///< the local cells to update
  Box tile{};  ///< the local cells that this call and calls to come update; contains `box`
  bool streaming = false;                ///< results will not be read soon and bypass the caches
  const RowEndsBinding* ends = nullptr;  ///< one per argument, or null
  Reducer* reducer = nullptr;            ///< for reductions only
  LineFetcher* fetcher = nullptr;  ///< fetches memory ahead while cells are updated; null: nothing
  /// The axis that columns run along; -1 if there are no columns.
  int column_axis = -1;
};

}  // namespace goban
