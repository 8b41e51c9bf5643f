#pragma once
// A few planes of one version, reused in a ring as a tile moves along the slowest axis.

#include "goban/backend/api.hpp"
#include "goban/backend/host/mirrored_memory.hpp"

namespace goban::cpu {

/// Shape of a window; `rows` and `planes` bound what is alive at a time.
struct WindowShape {
  ElementType type = ElementType::float32;
  int components = 1;
  std::array<int, 3> order{0, 1, 2};
  Index low = 0, high = 0;  ///< first and last-plus-one index along the fast axis, ghosts included
  Index rows = 1;           ///< along the middle axis
  Index planes = 1;         ///< along the slow axis, even
  Index skew = 0;           ///< bytes, so that windows used together share few cache sets
  bool operator==(const WindowShape&) const = default;
};

class Window {
 public:
  Window() = default;
  explicit Window(const WindowShape& shape);

  const WindowShape& shape() const { return shape_; }

  /// Row index that the first row of the window stands for.
  void set_first_row(Index row) { first_row_ = row; }

  /// Pointers valid for planes lowest ... lowest + planes - 1.
  FieldBinding bind(Index lowest_plane) const;

  /// Bytes of cache a window of this shape takes per row.
  static Index bytes_per_row(const WindowShape& shape);

 private:
  WindowShape shape_;
  MirroredMemory memory_;
  Index left_ = 0, pitch_ = 0, plane_ = 0;  ///< elements
  Index first_row_ = 0;
};

}  // namespace goban::cpu
