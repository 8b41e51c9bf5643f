#pragma once
// Planted data for tests of packs, and every operation on packs of N lanes against the same on one.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>

#include "goban/stencil/pack.hpp"

namespace goban::test {

inline constexpr int lane_count = 64;
template <class T>
using Lanes = std::array<T, lane_count>;

/// Random values of moderate size with the edge cases of the type among them.
template <class T>
Lanes<T> planted(std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  Lanes<T> lanes;
  if constexpr (std::is_floating_point_v<T>) {
    std::uniform_real_distribution<T> uniform(-8, 8);
    for (T& x : lanes) x = uniform(generator);
    using Limits = std::numeric_limits<T>;
    const std::array<T, 9> edges = {0,
                                    T(-0.0),
                                    1,
                                    -1,
                                    Limits::max(),
                                    Limits::denorm_min(),
                                    Limits::infinity(),
                                    Limits::quiet_NaN(),
                                    T(0.5)};
    for (std::size_t i = 0; i < edges.size(); ++i) lanes[(7 * i + seed) % lane_count] = edges[i];
  } else {
    for (T& x : lanes) x = static_cast<T>(generator() >> (generator() % 60));
    const std::array<T, 5> edges = {0, 1, static_cast<T>(-1), std::numeric_limits<T>::max(),
                                    std::numeric_limits<T>::min()};
    for (std::size_t i = 0; i < edges.size(); ++i) lanes[(11 * i + seed) % lane_count] = edges[i];
  }
  return lanes;
}

/// Equal to the last bit; any NaN equals any other.
template <class T>
bool same_bits(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return true;
    return std::signbit(a) == std::signbit(b) && a == b;
  } else {
    return a == b;
  }
}

/// The N values from p on.
template <int N, class T>
Pack<T, N> pack_of(const T* p) {
  Pack<T, N> pack;
  for (int i = 0; i < N; ++i) pack.set_lane(i, p[i]);
  return pack;
}

/// Calls f(std::integral_constant<int, N>) for all widths.
template <class F>
void for_each_width(F f) {
  [&]<int... N>(std::integer_sequence<int, N...>) { (f(std::integral_constant<int, N>{}), ...); }
  (std::integer_sequence<int, 1, 2, 4, 8, 16, 32, 64>{});
}

inline void report_lane(const char* name, int width, int lane, double got, double expected) {
  ADD_FAILURE() << name << ", width " << width << ", lane " << lane << ": " << got << " instead of "
                << expected;
}

/// operation(packs of N) equals operation(packs of 1) in each lane, for all N. The operation gives
/// a pack or a mask.
template <class Operation, class... T>
void expect_lanes_independent(const char* name, Operation operation, const Lanes<T>&... in) {
  std::array<decltype(operation(pack_of<1>(in.data())...).lane(0)), lane_count> expected;
  for (int i = 0; i < lane_count; ++i)
    expected[i] = operation(pack_of<1>(in.data() + i)...).lane(0);
  for_each_width([&](auto width) {
    constexpr int N = width;
    for (int first = 0; first < lane_count; first += N) {
      const auto wide = operation(pack_of<N>(in.data() + first)...);
      for (int i = 0; i < N; ++i) {
        if (same_bits(wide.lane(i), expected[first + i])) continue;
        report_lane(name, N, first + i, static_cast<double>(wide.lane(i)),
                    static_cast<double>(expected[first + i]));
      }
    }
  });
}

}  // namespace goban::test
