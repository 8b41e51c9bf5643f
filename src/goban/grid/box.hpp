#pragma once
// A half-open box of cells, lower <= i < upper on each axis.

#include <algorithm>
#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

struct Box {
  Index3 lower{0, 0, 0};
  Index3 upper{0, 0, 0};

  constexpr bool operator==(const Box&) const = default;
  constexpr Index extent(int axis) const { return upper[axis] - lower[axis]; }
  constexpr Index3 extents() const { return {extent(0), extent(1), extent(2)}; }
  constexpr bool empty() const {
    return lower[0] >= upper[0] || lower[1] >= upper[1] || lower[2] >= upper[2];
  }
  constexpr Index volume() const { return empty() ? 0 : product(extents()); }
  constexpr bool contains(const Box& other) const {
    if (other.empty()) return true;
    for (int a = 0; a < 3; ++a) {
      if (other.lower[a] < lower[a] || other.upper[a] > upper[a]) return false;
    }
    return true;
  }
  constexpr bool contains(Index3 i) const {
    for (int a = 0; a < 3; ++a) {
      if (i[a] < lower[a] || i[a] >= upper[a]) return false;
    }
    return true;
  }
};

constexpr Box intersection(const Box& a, const Box& b) {
  Box r;
  for (int i = 0; i < 3; ++i) {
    r.lower[i] = std::max(a.lower[i], b.lower[i]);
    r.upper[i] = std::max(r.lower[i], std::min(a.upper[i], b.upper[i]));
  }
  return r;
}

/// Smallest box that holds both; an empty box adds nothing.
constexpr Box hull(const Box& a, const Box& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Box r;
  for (int i = 0; i < 3; ++i) {
    r.lower[i] = std::min(a.lower[i], b.lower[i]);
    r.upper[i] = std::max(a.upper[i], b.upper[i]);
  }
  return r;
}

constexpr Box shifted(Box b, Index3 by) { return {b.lower + by, b.upper + by}; }

/// How far a box reaches beyond another: layers of cells per axis on the low and the high side.
struct Extents {
  Index3 low{0, 0, 0};
  Index3 high{0, 0, 0};

  constexpr bool operator==(const Extents&) const = default;
  constexpr bool none() const { return *this == Extents{}; }
  constexpr Index on(int axis, Side side) const {
    return side == Side::low ? low[axis] : high[axis];
  }
  constexpr bool covers(const Extents& other) const {
    for (int a = 0; a < 3; ++a) {
      if (other.low[a] > low[a] || other.high[a] > high[a]) return false;
    }
    return true;
  }
};

constexpr Extents hull(Extents a, const Extents& b) {
  for (int i = 0; i < 3; ++i) {
    a.low[i] = std::max(a.low[i], b.low[i]);
    a.high[i] = std::max(a.high[i], b.high[i]);
  }
  return a;
}

constexpr Extents operator+(Extents a, const Extents& b) {
  return {a.low + b.low, a.high + b.high};
}

constexpr Box extended(const Box& b, const Extents& by) {
  return {b.lower - by.low, b.upper + by.high};
}

/// `outer` without `inner` as at most six disjoint boxes (z slabs first, then y, then x).
std::vector<Box> difference(const Box& outer, const Box& inner);

std::string to_string(const Box& box);

}  // namespace goban
