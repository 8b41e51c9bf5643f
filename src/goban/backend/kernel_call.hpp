#pragma once
// What kernels of functors are called with.

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

/// Where the components of a field stored in place lie at a moment.
struct ComponentPlaces {
  const std::byte* memory = nullptr;  ///< the same for all fields that share it
  std::vector<Index> offset;          ///< per component: elements from component 0
  Index moves = 0;                    ///< how often they have moved
};

/// Where a kernel finds one field. Pointers are to component 0 of local cell (0, 0, 0).
struct FieldBinding {
  const std::byte* read = nullptr;
  std::byte* write = nullptr;
  std::array<Index, 3> stride{};                  ///< elements, per grid axis
  Index component_stride = 0;                     ///< elements; of no use with `places`
  std::shared_ptr<const ComponentPlaces> places;  ///< null unless stored in place
  Box clip{};                                     ///< local cells a store may touch
  bool from_memory = false;  ///< too large for the caches: worth fetching ahead
  /// Unless it is the identity: the field lies on another grid, `read` points to global cell (0, 0,
  /// 0) there, and what the functor reads counts from the cell that the one at hand stands for.
  IndexMap map{};

  /// Elements from component 0 to component c.
  Index component_offset(Index c) const {
    return places ? places->offset[static_cast<std::size_t>(c)] : c * component_stride;
  }
};

/// Where a kernel keeps the ends of the rows of one output, cells below low_end and from high_begin
/// on: whole packs, whatever lies beyond the cells to update. Packs between kept_below and
/// kept_from go to memory as well, the others do not: their lines are written when their ghosts,
/// and faces on walls, are known.
struct RowEndsBinding {
  std::vector<std::byte*> component;  ///< local cell (0, 0, 0); null: to memory as any other cell
  std::array<Index, 3> stride{};      ///< elements, per grid axis
  Index low_end = 0, high_begin = 0;  ///< multiples of 64 bytes
  Index kept_below = 0;               ///< a multiple of 64 bytes
  Index kept_from = std::numeric_limits<Index>::max();  ///< one, too
  Index gap = 0;                                        ///< elements left out between both ends
};

/// Accumulates a reduction; sums are exact, so the order of additions is irrelevant. An extremum of
/// values with a NaN among them is NaN, as a sum is: always the same one.
struct Reducer {
  Reduction kind = Reduction::sum;
  ExactSum sum;
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  bool has_nan = false;  ///< beside the extrema, which skip it: their chains stay short

  /// T is any element type a field stores.
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

/// Lines of memory to be fetched into the first-level cache beside other work, evenly: a burst of
/// them would take all buffers that the work needs for its own misses.
class LineFetcher {
 public:
  /// Nothing to fetch beside work on so many cells.
  void start(Index cells) {
    rows_.clear();
    at_ = {};
    lines_ = credit_ = 0;
    cells_ = cells;
  }
  /// `rows` rows of `lines` lines, `stride` bytes apart.
  void add(const std::byte* first, Index stride, Index rows, Index lines) {
    if (rows <= 0 || lines <= 0) return;
    rows_.push_back({first, stride, rows, lines});
    lines_ += rows * lines;
  }
  /// Before so many cells are worked on.
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

/// Where the scratch of columns lies; see stencil/scratch.hpp.
struct ScratchBinding {
  std::byte* memory = nullptr;    ///< component 0 of local cell (0, 0, 0)
  std::array<Index, 3> stride{};  ///< elements, per grid axis
  Index component = 0;            ///< elements to the next component
  Index previous = 0;             ///< elements to the level visited before
};

/// Everything one call of a sweep kernel needs.
struct SweepCall {
  const FieldBinding* fields = nullptr;  ///< one per argument; unused for site and value arguments
  const double* values = nullptr;        ///< one per argument; used by value arguments
  /// Where devices find these values instead, in their memory; null: all are in `values`.
  const double* const* numbers = nullptr;
  const FieldBinding* mask = nullptr;    ///< uint8 field: only cells with a nonzero mask are stored
  SiteInfo site{};                       ///< site.index: global index of local cell (0, 0, 0)
  Box box{};                             ///< local cells to update
  Box tile{};                            ///< holds `box`; what calls to come will update too
  bool streaming = false;                ///< results will not be read soon: bypass the caches
  const RowEndsBinding* ends = nullptr;  ///< one per argument
  Reducer* reducer = nullptr;            ///< reductions only
  LineFetcher* fetcher = nullptr;        ///< is told of cells before they are updated
  /// The axis that columns run along; -1: there are no columns.
  int column_axis = -1;
};

}  // namespace goban
