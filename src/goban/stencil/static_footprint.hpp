#pragma once
// What a functor reads, writes and computes, in a form that constant expressions can hold.

#include <array>
#include <compare>

#include "goban/stencil/parameters.hpp"

namespace goban {

/// One value read: component of a parameter (by its position), offset in cells.
struct Read {
  int parameter = 0;
  int component = 0;
  std::array<int, 3> offset{};
  constexpr auto operator<=>(const Read&) const = default;
};

/// One value written, and how often on the paths through the functor.
struct Output {
  int parameter = 0;
  int component = 0;
  int fewest_assignments = 0;
  int most_assignments = 0;
  constexpr bool operator==(const Output&) const = default;
};

/// Why a functor cannot be used as it is.
enum class TraceError {
  none,
  unassigned_output,  ///< an out is not assigned on some path
  assigned_twice,     ///< an output is assigned more than once on some path
  too_many_reads,     ///< more than StaticFootprint::read_capacity different ones
  too_many_outputs,   ///< more than StaticFootprint::output_capacity components written
  too_many_paths,     ///< more than StaticFootprint::path_limit ways through its branches
  offset_too_far      ///< an offset of more than StaticFootprint::offset_limit cells
};

struct StaticFootprint {
  static constexpr int parameter_capacity = 64;
  static constexpr int read_capacity = 512;
  static constexpr int output_capacity = 128;
  static constexpr int path_limit = 4096;
  static constexpr int offset_limit = 1000;

  TraceError error = TraceError::none;
  Output error_output{};  ///< where `error` is about an output

  int flops = 0;               ///< + - * / sqrt min max of floats: 1, fma: 2; most on any path
  int integer_operations = 0;  ///< the same of integers, with shifts and bit logic
  int special_functions = 0;   ///< exp, log, sin, ...
  int paths = 0;               ///< ways through the functor's branches
  bool branching = false;      ///< branches on values of cells, so packs must have one lane

  int parameter_count = 0;
  int read_count = 0;
  int output_count = 0;
  std::array<ParameterDescription, parameter_capacity> parameters{};
  std::array<std::uint64_t, read_capacity> reads{};  ///< packed; see read()
  std::array<Output, output_capacity> outputs{};

  constexpr Read read(int i) const { return unpacked(reads[static_cast<std::size_t>(i)]); }

  /// Adds a read unless it is there.
  constexpr void add(const Read& r) {
    for (int o : r.offset) {
      if (o > offset_limit || o < -offset_limit) return fail(TraceError::offset_too_far);
    }
    const std::uint64_t key = packed(r);
    for (int i = 0; i < read_count; ++i) {
      if (reads[static_cast<std::size_t>(i)] == key) return;
    }
    if (read_count == read_capacity) return fail(TraceError::too_many_reads);
    reads[static_cast<std::size_t>(read_count++)] = key;
  }

  /// The first error stays.
  constexpr void fail(TraceError e) {
    if (error == TraceError::none) error = e;
  }

 private:
  static constexpr std::uint64_t packed(const Read& r) {
    std::uint64_t key =
        static_cast<std::uint64_t>(r.parameter) << 16 | static_cast<std::uint64_t>(r.component);
    for (int o : r.offset) key = key << 12 | static_cast<std::uint64_t>(o + 2048);
    return key;
  }
  static constexpr Read unpacked(std::uint64_t key) {
    const auto offset = [&](int shift) { return static_cast<int>(key >> shift & 0xfff) - 2048; };
    return {.parameter = static_cast<int>(key >> 52),
            .component = static_cast<int>(key >> 36 & 0xffff),
            .offset = {offset(24), offset(12), offset(0)}};
  }
};

}  // namespace goban
