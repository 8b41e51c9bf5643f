#pragma once
// A plane of an array as pictures show it: two axes, row 0 at the bottom.

#include "goban/io/file/array_view.hpp"

namespace goban {

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

}  // namespace goban
