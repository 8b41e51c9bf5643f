#include "goban/backend/cpu/window.hpp"

#include <gtest/gtest.h>

namespace goban::cpu {
namespace {

/// Bytes: a plane of two components of three rows takes half a page, less than the largest skew.
WindowShape small(Index planes, Index skew) {
  WindowShape shape;
  shape.type = ElementType::uint8;
  shape.components = 2;
  shape.low = -1;
  shape.high = 25;
  shape.rows = 3;
  shape.planes = planes;
  shape.skew = skew;
  return shape;
}

/// Calls f(byte, number) for every cell of one plane; the numbers of neighbouring planes differ.
template <class F>
void each_cell(const WindowShape& shape, const FieldBinding& field, Index plane, F&& f) {
  auto number = static_cast<unsigned>(plane * 37);
  for (Index c = 0; c < shape.components; ++c) {
    for (Index row = 0; row < shape.rows; ++row) {
      for (Index i = shape.low; i < shape.high; ++i) {
        f(field.write[c * field.component_stride + plane * field.stride[2] + row * field.stride[1] +
                      i],
          static_cast<std::byte>(++number));
      }
    }
  }
}

TEST(Window, HoldsAllItsPlanesWhateverTheSkew) {
  for (const Index planes : {2, 4, 6}) {
    for (Index skew = 0; skew <= 3584; skew += 512) {
      const WindowShape shape = small(planes, skew);
      const Window window(shape);
      for (Index lowest = -planes; lowest <= planes; ++lowest) {
        const FieldBinding all = window.bind(lowest);
        for (Index plane = lowest; plane < lowest + planes; ++plane) {
          each_cell(shape, all, plane, [](std::byte& cell, std::byte number) { cell = number; });
        }
        for (Index plane = lowest; plane < lowest + planes; ++plane) {
          each_cell(shape, window.bind(plane), plane, [&](std::byte& cell, std::byte number) {
            ASSERT_EQ(cell, number)
                << "plane " << plane << " of " << planes << " from " << lowest << ", skew " << skew;
          });
        }
      }
    }
  }
}

}  // namespace
}  // namespace goban::cpu
