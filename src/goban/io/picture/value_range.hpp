#pragma once
// A plane of numbers, and which of them the ends of a colour bar stand for.

#include <optional>
#include <string>
#include <vector>

#include "goban/io/file/array_view.hpp"
#include "goban/io/picture/colormap.hpp"

namespace goban {

/// A plane of an array as pictures show it: two axes, row 0 at the bottom.
class FlatPlane {
 public:
  /// `plane` has extent 1 along at least one axis, its normal: z, else y, else x. Error(usage) if
  /// not, or if there is no such component.
  FlatPlane(const ArrayView& plane, int component);

  Index width() const { return view_.extents[index_of(across_)]; }
  Index height() const { return view_.extents[index_of(up_)]; }
  Axis across() const { return across_; }
  Axis up() const { return up_; }
  double at(Index i, Index j) const;

  /// Mean of the values of the cells [i0, i1) x [j0, j1); NaN if one of them is.
  double mean(Index i0, Index i1, Index j0, Index j1) const;

  bool is_integer() const {
    return view_.type == ElementType::uint8 || view_.type == ElementType::int32;
  }

 private:
  ArrayView view_;
  Axis across_ = Axis::x;
  Axis up_ = Axis::y;
};

/// One component, NaN in the cells where `mask` is `value` or, where none is given, anything but 0:
/// those of bodies. Error(usage) if `mask` is of other cells.
Array masked(const ArrayView& values, const ArrayView& mask, std::optional<double> value = {});

/// What one component of a field is called: "velocity z", "populations, component 7", or just the
/// name where there is no other.
std::string name_of_component(const std::string& name, int components, int component);

struct ValueRange {
  double low = 0;
  double high = 1;
  bool values_below = false;  ///< some values lie below `low`
  bool values_above = false;
};

/// What the values of a plane are like. NaN and infinities count for nothing here but the last two.
struct ValueSummary {
  double smallest = 0;
  double largest = 0;
  double low_quantile = 0;     ///< 0.05 % of the values lie below
  double high_quantile = 0;    ///< 0.05 % lie above
  std::vector<double> levels;  ///< the distinct integers in order; empty if more than ten
  bool has_numbers = false;
  bool has_positive_infinity = false;
  bool has_negative_infinity = false;
};
ValueSummary summary_of(const FlatPlane& plane);
/// The summary of the values of both.
ValueSummary joined(const ValueSummary& a, const ValueSummary& b);

/// Diverging around zero, stones for one or two integers, else sequential.
Colormap fitting_colormap(const FlatPlane& plane, const ValueSummary& summary);

/// The whole range of the values, but for single ones far outside of what all others span (a
/// singular corner). Around zero for the diverging map; 0 to 1 for a board with one kind of
/// stones or none.
ValueRange automatic_range(const ValueSummary& summary, Colormap map);

/// The range given, and whether values lie outside.
ValueRange given_range(const ValueSummary& summary, double low, double high);

/// Colours of values under a map; what is not a number has a colour of its own.
class ValueColors {
 public:
  ValueColors(Colormap map, const ValueRange& range) : map_(map), range_(range) {}
  Color at(double value) const;

 private:
  Colormap map_;
  ValueRange range_;
};

}  // namespace goban
