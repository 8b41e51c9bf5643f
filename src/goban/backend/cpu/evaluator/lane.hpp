#pragma once
// The types of the numbers of a row in memory while a graph is evaluated.

#include <cstdint>

#include "goban/base/types.hpp"
#include "goban/stencil/graph/graph_node.hpp"

namespace goban::cpu {

/// The type of a row's numbers. Truth values are the bytes 0 and 1.
enum class Lane : std::uint8_t {
  truth,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  half  ///< only stored; computed as float32
};

constexpr Index bytes_of(Lane lane) {
  switch (lane) {
    case Lane::truth:
    case Lane::uint8: return 1;
    case Lane::half: return 2;
    case Lane::int32:
    case Lane::uint32:
    case Lane::float32: return 4;
    default: return 8;
  }
}

constexpr Lane lane_of(const GraphType& type) {
  const bool is_wide = type.bytes == 8;
  switch (type.kind) {
    case GraphType::Kind::mask: return Lane::truth;
    case GraphType::Kind::floating: return is_wide ? Lane::float64 : Lane::float32;
    case GraphType::Kind::signed_integer: return is_wide ? Lane::int64 : Lane::int32;
    default: return is_wide ? Lane::uint64 : type.bytes == 4 ? Lane::uint32 : Lane::uint8;
  }
}

constexpr Lane lane_of(ElementType type) {
  switch (type) {
    case ElementType::uint8: return Lane::uint8;
    case ElementType::int32: return Lane::int32;
    case ElementType::half: return Lane::half;
    case ElementType::float32: return Lane::float32;
    default: return Lane::float64;
  }
}

/// Returns the type in which stored elements are computed.
constexpr Lane computed(Lane stored) { return stored == Lane::half ? Lane::float32 : stored; }

/// Calls f with a value of the C++ type of a lane. `lane` must be one that is computed with.
template <class F>
decltype(auto) visit_lane(Lane lane, F&& f) {
  switch (lane) {
    case Lane::int32: return f(std::int32_t{});
    case Lane::uint32: return f(std::uint32_t{});
    case Lane::int64: return f(std::int64_t{});
    case Lane::uint64: return f(std::uint64_t{});
    case Lane::float32: return f(float{});
    case Lane::float64: return f(double{});
    default: return f(std::uint8_t{});
  }
}

}  // namespace goban::cpu
