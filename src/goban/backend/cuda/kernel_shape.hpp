#pragma once
// What a functor's type says about the device kernel that suits it.

#include <algorithm>

#include "goban/backend/parameter_traits.hpp"
#include "goban/program/program.hpp"

namespace goban::cuda {

template <class P>
inline constexpr int stored_bytes = 1;
template <Access A, class T, int C>
inline constexpr int stored_bytes<FieldParameter<A, T, C>> = sizeof(T);

/// Registers that the values of one cell fill while they are all at hand.
template <class P>
inline constexpr int registers = 0;
template <Access A, class T, int C>
inline constexpr int registers<FieldParameter<A, T, C>> =
    (C * static_cast<int>(sizeof(ArithmeticOf<T>)) + 3) / 4;

/// Components of a field stored in place.
template <class P>
inline constexpr int components_in_place = 0;
template <Access A, class T, int C>
inline constexpr int components_in_place<FieldParameter<A, InPlace<T>, C>> = C;
template <class... P>
inline constexpr int most_in_place = std::max({0, components_in_place<P>...});

/// Stands for the first parameter of a reduction.
struct ReductionParameter {};

/// A field of one number a cell, computed with as it is stored.
template <class P>
inline constexpr bool is_plain_field = false;
template <Access A, class T>
inline constexpr bool is_plain_field<FieldParameter<A, T, 1>> = std::is_same_v<T, ArithmeticOf<T>>;

/// How far a functor reads along the fastest, middle and slowest axis, either way.
struct StarReach {
  int fast = 0, middle = 0, slow = 0;
  constexpr bool operator==(const StarReach&) const = default;
};

/// Where a component is read, if it is read at one place alone.
struct Pull {
  bool is_read = false;
  std::array<int, 3> offset{};
};

/// Rows and planes that one thread evaluates, sharing what they read.
struct Block {
  int rows = 1, planes = 1;
  constexpr bool operator==(const Block&) const = default;
};

template <class F, Axis Unit, class... P>
struct KernelShape {
  static constexpr bool is_known = has_constant_footprint<F, P...>;
  static constexpr int widest_stored = std::max({stored_bytes<P>...});
  static constexpr int most_registers = std::max({registers<P>...});

  /// Cells a pack: 16 bytes of the widest field, fewer where many components would not fit into
  /// registers.
  static constexpr int width() {
    if (is_branching<F, P...>) return 1;
    // Functors of reductions often go over a cell twice.
    constexpr int register_budget = is_reduction<F> ? 32 : 80;
    int n = 16 / widest_stored;
    while (n > 1 && n * most_registers > register_budget) n /= 2;
    return n;
  }

  static constexpr bool writes_in_place = (is_written_in_place<P> || ...);
  static constexpr bool updates = ((is_updated<P> || components_in_place<P> > 0) || ...);

  /// The fields that march, if the functor can: as many as it makes new ones, of those it reads
  /// along the axes alone the ones it reads most of, in their order. Other fields may be read
  /// anywhere, as they do not change.
  static constexpr MarchPairs pairs() {
    MarchPairs found{};
    if constexpr (!is_known || is_reduction<F> || updates || width() == 1) {
      return found;
    } else {
      constexpr int count = static_cast<int>(sizeof...(P));
      constexpr bool plain[] = {is_plain_field<P>...}, output[] = {is_output<P>...};
      constexpr int bytes[] = {stored_bytes<P>...};
      const auto& footprint = constant_footprint<F, P...>;
      int outputs = 0;
      int reads[count] = {}, beside[count] = {}, oblique[count] = {};
      for (int p = 0; p < count; ++p) {
        if (!output[p]) continue;
        const bool is_like_first =
            footprint.parameters[p].type == footprint.parameters[result()].type;
        if (!plain[p] || !is_like_first || outputs == most_march_pairs) return found;
        ++outputs;
      }
      if (outputs == 0) return found;
      for (int r = 0; r < footprint.read_count; ++r) {
        const Read read = footprint.read(r);
        int offsets = 0;
        for (const int o : read.offset) offsets += o != 0 ? 1 : 0;
        ++reads[read.parameter];
        if (offsets > 0) ++beside[read.parameter];
        if (offsets > 1) ++oblique[read.parameter];
      }
      bool marches[count] = {}, is_star = true;
      int most_beside = 0;
      for (int n = 0; n < outputs; ++n) {
        int best = -1;
        for (int p = 0; p < count; ++p) {
          if (marches[p] || reads[p] == 0 || !plain[p] || bytes[p] * width() != 16 ||
              (outputs == 1 && beside[p] == 0) ||
              footprint.parameters[p].type != footprint.parameters[result()].type) {
            continue;
          }
          if (best < 0 || reads[p] > reads[best]) best = p;
        }
        if (best < 0) return found;
        marches[best] = true;
        is_star = is_star && oblique[best] == 0;
        most_beside = std::max(most_beside, beside[best]);
      }
      if (!is_star || most_beside == 0) return found;
      int in = 0, out = 0;
      for (int p = 0; p < count; ++p) {
        if (marches[p]) found[in++].in = p;
        if (output[p]) found[out++].out = p;
      }
      return found;
    }
  }
  static constexpr int pair_count() {
    int count = 0;
    for (const MarchPair& pair : pairs()) count += pair.in >= 0 ? 1 : 0;
    return count;
  }
  /// Position of the one field that marches; -1 if there is none or there are several.
  static constexpr int marching() { return pair_count() == 1 ? pairs()[0].in : -1; }
  /// Position of the first output.
  static constexpr int result() {
    constexpr bool output[] = {is_output<P>...};
    for (int p = 0; p < static_cast<int>(sizeof...(P)); ++p) {
      if (output[p]) return p;
    }
    return -1;
  }
  static constexpr StarReach star() {
    StarReach reach;
    if constexpr (is_known) {
      constexpr MarchPairs all = pairs();
      const auto& footprint = constant_footprint<F, P...>;
      for (int r = 0; r < footprint.read_count; ++r) {
        const Read read = footprint.read(r);
        bool marches = false;
        for (const MarchPair& pair : all) marches = marches || read.parameter == pair.in;
        if (!marches) continue;
        auto farther = [&](int& most, int offset) {
          most = std::max(most, offset < 0 ? -offset : offset);
        };
        farther(reach.fast, read.offset[Unit == Axis::z ? 2 : 0]);
        farther(reach.middle, read.offset[Unit == Axis::z ? 0 : 1]);
        farther(reach.slow, read.offset[Unit == Axis::z ? 1 : 2]);
      }
    }
    return reach;
  }

  /// Argument `position` has many components, each read at one place at most.
  static constexpr bool pulls(int position) {
    if constexpr (!is_known || is_reduction<F>) {
      return false;
    } else {
      constexpr int in_registers[] = {registers<P>...};
      constexpr bool changes[] = {is_updated<P>...};
      if (in_registers[position] < many || changes[position]) return false;
      const auto& footprint = constant_footprint<F, P...>;
      for (int r = 0; r < footprint.read_count; ++r) {
        for (int s = 0; s < r; ++s) {
          const Read a = footprint.read(r), b = footprint.read(s);
          if (a.parameter == position && b.parameter == position && a.component == b.component) {
            return false;
          }
        }
      }
      constexpr bool output[] = {is_output<P>...};
      return !output[position];
    }
  }
  static constexpr Pull pull(int position, int component) {
    Pull found;
    if constexpr (is_known) {
      const auto& footprint = constant_footprint<F, P...>;
      for (int r = 0; r < footprint.read_count; ++r) {
        const Read read = footprint.read(r);
        if (read.parameter == position && read.component == component) found = {true, read.offset};
      }
    }
    return found;
  }

  /// Farthest read along the slowest axis.
  static constexpr int reach() {
    int most = 0;
    if constexpr (is_known) {
      const auto& footprint = constant_footprint<F, P...>;
      for (int r = 0; r < footprint.read_count; ++r) {
        const int offset = footprint.read(r).offset[Unit == Axis::z ? 1 : 2];
        most = std::max(most, offset < 0 ? -offset : offset);
      }
    }
    return most;
  }

  /// What a thread may evaluate together, the widest last; what is fastest depends on the size of
  /// planes. Blocks overlap at the ends of rows and planes, so nothing may be updated twice.
  static constexpr std::array<Block, 2> blocks() {
    if (!is_known || updates || reach() == 0 || has_many_values) return {};
    if (reach() > 1) return {Block{}, Block{2, 4}};
    return {widest_stored == 1 ? Block{1, 4} : Block{1, 2}, Block{2, 4}};
  }
  /// Threads of a block along the fastest, middle and slowest axis.
  static constexpr std::array<int, 3> threads() {
    if (has_many_values) return {128, 1, 1};
    return {32, 8, 1};
  }
  /// Blocks of threads that a multiprocessor is to hold at least, for a thread of so many cells
  /// along the slower axes; 0: as it comes. It decides the registers of a thread: few blocks leave
  /// it enough to ask for all that it reads at once, which the compiler would not do of its own
  /// accord.
  static constexpr int least_blocks(int block_cells) {
    if (has_many_values) return 2;
    if (block_cells > 1) return 1;
    return updates && read_registers() >= 80 ? 2 : 0;
  }
  /// Registers that all a thread reads of a cell and its neighbours fill.
  static constexpr int read_registers() {
    if constexpr (is_known) {
      return constant_footprint<F, P...>.read_count * width() * widest_stored / 4;
    } else {
      return 0;
    }
  }
  static constexpr int many = 8;  ///< registers
  static constexpr bool has_many_values = most_registers >= many;
};

}  // namespace goban::cuda
