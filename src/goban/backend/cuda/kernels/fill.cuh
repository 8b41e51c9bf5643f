#pragma once
// Ghost cells at physical boundaries, stored as `Element`.

#include "dependent_launch.cuh"

namespace goban::device {

/// The kinds of BoundaryCondition that devices know.
enum class FillKind : uint8 { constant = 1, wall_value = 2, gradient = 3, mirror = 4 };

/// One fill: the layers of a place are filled by one thread, from the lowest on.
struct Fill {
  unsigned char* cells;  ///< local cell (0, 0, 0)
  Index stride[3];       ///< elements, fastest axis first
  int low[3], high[3];
  int along;   ///< 0, 1, 2: the fill's axis is the fastest, middle, slowest
  int wall;    ///< local index of the wall
  int mirror;  ///< a ghost cell and the one that it mirrors add up to this
  bool is_low, staggered;
  FillKind kind;
  double value, spacing;
};

/// Fills that do not depend on each other, a row of blocks each.
struct Fills {
  static constexpr int most = 36;
  Fill fill[most];
};

}  // namespace goban::device

#if GOBAN_KERNEL

#include "memory.cuh"

namespace goban::device {

using FillNumber = Arithmetic<Element>;

template <class E>
GOBAN_DEVICE Arithmetic<E> number_of(const E& element) {
  if constexpr (same<E, half>) {
    return float_of_half(element.bits);
  } else {
    return element;
  }
}
template <class E>
GOBAN_DEVICE E element_of(Arithmetic<E> number) {
  if constexpr (same<E, half>) {
    return {half_of_float(number)};
  } else {
    return number;
  }
}
/// Converts a number to the element type; integers wrap.
GOBAN_DEVICE FillNumber from_double(double value) {
  if constexpr (is_floating<FillNumber>) {
    return static_cast<FillNumber>(value);
  } else {
    return static_cast<FillNumber>(static_cast<long long>(value));
  }
}
GOBAN_DEVICE FillNumber sum(FillNumber a, FillNumber b) {
  if constexpr (is_floating<FillNumber>) {
    return a + b;
  } else {
    return static_cast<FillNumber>(static_cast<uint32>(a) + static_cast<uint32>(b));
  }
}
GOBAN_DEVICE FillNumber difference(FillNumber a, FillNumber b) {
  if constexpr (is_floating<FillNumber>) {
    return a - b;
  } else {
    return static_cast<FillNumber>(static_cast<uint32>(a) - static_cast<uint32>(b));
  }
}

}  // namespace goban::device

extern "C" __global__ void __launch_bounds__(256)
    goban_fill(const __grid_constant__ goban::device::Fills fills) {
  using namespace goban::device;
  let_next_launch();
  wait_for_launch_before();
  const Fill& f = fills.fill[blockIdx.y];
  int extent[3] = {f.high[0] - f.low[0], f.high[1] - f.low[1], f.high[2] - f.low[2]};
  const int layers = extent[f.along];
  extent[f.along] = 1;
  const unsigned int n = static_cast<unsigned int>(extent[0]) *
                         static_cast<unsigned int>(extent[1]) *
                         static_cast<unsigned int>(extent[2]);
  const Index step = f.stride[f.along];
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned int row = i / static_cast<unsigned int>(extent[0]);
    const unsigned int plane = row / static_cast<unsigned int>(extent[1]);
    const int at[3] = {static_cast<int>(i - row * static_cast<unsigned int>(extent[0])),
                       static_cast<int>(row - plane * static_cast<unsigned int>(extent[1])),
                       static_cast<int>(plane)};
    Element* place = reinterpret_cast<Element*>(f.cells);
    for (int a = 0; a < 3; ++a) place += (f.low[a] + at[a]) * f.stride[a];
    for (int layer = 0; layer < layers; ++layer) {
      const int index = f.low[f.along] + layer;
      const int depth = f.is_low ? -index : f.staggered ? index - f.wall : index - f.wall + 1;
      const Index inside = f.mirror - 2 * index;
      Element* cell = place + layer * step;
      const double distance = f.spacing * (f.staggered ? 2 * depth : 2 * depth - 1);
      switch (depth == 0 ? FillKind::constant : f.kind) {
        case FillKind::constant: *cell = element_of<Element>(from_double(f.value)); break;
        case FillKind::wall_value:
          *cell = element_of<Element>(
              difference(from_double(2 * f.value), number_of(cell[inside * step])));
          break;
        case FillKind::gradient:
          *cell = element_of<Element>(
              sum(number_of(cell[inside * step]), from_double(f.value * distance)));
          break;
        case FillKind::mirror: *cell = cell[inside * step]; break;
      }
    }
  }
}

#endif
