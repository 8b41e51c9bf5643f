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
  bool needs_first = false;       ///< scratch: it reads what the other sweep has assigned,
  bool needs_any_before = false;  ///< what either has assigned at the level visited before
  constexpr bool operator==(const Output&) const = default;
};

/// Why a functor cannot be used as it is.
enum class TraceError {
  none,
  unassigned_output,  ///< an out is not assigned on some path
  assigned_twice,     ///< an output is assigned more than once on some path
  unwritten_scratch,  ///< a column's scratch is read before it holds anything
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
  bool branching = false;      ///< branches on values of cells
  bool sees_step = false;      ///< asks for the step, the time or random numbers

  int parameter_count = 0;
  int read_count = 0;
  int output_count = 0;
  ParameterDescription parameters[parameter_capacity] = {};
  std::uint64_t reads[read_capacity] = {};  ///< packed; see read()
  Output outputs[output_capacity] = {};

  constexpr Read read(int i) const { return unpacked(reads[i]); }

  /// Adds a read unless it is there. Constant evaluation is slow: the body is kept plain, and the
  /// search starts where the last one ended, as paths through a functor read much the same in the
  /// same order.
  constexpr void add(int parameter, int component, int i, int j, int k) {
    if (i > offset_limit || i < -offset_limit || j > offset_limit || j < -offset_limit ||
        k > offset_limit || k < -offset_limit) {
      return fail(TraceError::offset_too_far);
    }
    const auto bits =
        static_cast<std::uint64_t>(parameter) << 52 | static_cast<std::uint64_t>(component) << 36;
    const auto key = bits | static_cast<std::uint64_t>(i + 2048) << 24 |
                     static_cast<std::uint64_t>((j + 2048) << 12 | (k + 2048));
    for (int n = expected; n < read_count; ++n) {
      if (reads[n] == key) return static_cast<void>(expected = n + 1);
    }
    for (int n = 0; n < expected; ++n) {
      if (reads[n] == key) return static_cast<void>(expected = n + 1);
    }
    if (read_count == read_capacity) return fail(TraceError::too_many_reads);
    reads[read_count++] = key;
    expected = read_count;
  }

  /// The first error stays.
  constexpr void fail(TraceError e) {
    if (error == TraceError::none) error = e;
  }

 private:
  int expected = 0;

  static constexpr Read unpacked(std::uint64_t key) {
    const auto offset = [&](int shift) { return static_cast<int>(key >> shift & 0xfff) - 2048; };
    return {.parameter = static_cast<int>(key >> 52),
            .component = static_cast<int>(key >> 36 & 0xffff),
            .offset = {offset(24), offset(12), offset(0)}};
  }
};

}  // namespace goban
