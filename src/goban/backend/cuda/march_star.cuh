#pragma once
// What kernels that march through the planes share: their arguments, and functors evaluated on a
// pack and the values around it.

#include <tuple>
#include <utility>

#include "goban/backend/cuda/kernel_shape.hpp"
#include "goban/backend/cuda/launch.hpp"
#include "goban/backend/cuda/march_copies.cuh"
#include "goban/backend/cuda/turn.cuh"
#ifdef __CUDA_ARCH__
#include "goban/backend/cuda/cursor.cuh"
#endif

namespace goban::cuda {

/// Cells of a field that marches; axes in memory order.
struct ReadableCells {
  int low[3], high[3];
  int first_pack, last_pack;  ///< cells of the first and last packs with readable ones
};

/// Plain data; axes in memory order, cells local.
template <class F, int Arguments, int Steps, int Pairs = 1>
struct MarchArguments {
  F functor;
  FieldView field[Arguments];
  double value[Steps][Arguments];
  SiteInfo site[Steps];
  int low[3], high[3];  ///< cells to write
  ReadableCells readable[Pairs];
  int changing_low[3], changing_high[3];  ///< all others keep their values: constant ghosts
  /// Cells whose values count; the results of others are lost, so that the functor may as well be
  /// evaluated at the nearest of these.
  int needed_low[3], needed_high[3];
  int first;   ///< cell of the first pack to write
  int planes;  ///< that a block writes
};

template <class F, int Steps, int N, int Pairs, Axis Unit, class... P>
MarchArguments<F, sizeof...(P), Steps, Pairs> march_arguments(const MarchCall& call) {
  constexpr StarReach reach = KernelShape<F, Unit, P...>::star();
  constexpr int reaches[] = {reach.fast, reach.middle, reach.slow};
  const auto order = Unit == Axis::z ? kij::order : ijk::order;
  const SweepCall& first = call.levels[0];
  MarchArguments<F, sizeof...(P), Steps, Pairs> a{.functor = *static_cast<const F*>(first.functor)};
  for (std::size_t i = 0; i < sizeof...(P); ++i) a.field[i] = view_of(first.fields[i], order);
  for (int t = 0; t < Steps; ++t) {
    for (std::size_t i = 0; i < sizeof...(P); ++i) a.value[t][i] = call.levels[t].values[i];
    a.site[t] = call.levels[t].site;
  }
  for (int i = 0; i < 3; ++i) {
    const auto axis = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
    a.low[i] = static_cast<int>(call.box.lower[axis]);
    a.high[i] = static_cast<int>(call.box.upper[axis]);
    for (int k = 0; k < Pairs; ++k) {
      const Box& readable = call.readable[static_cast<std::size_t>(k)];
      a.readable[k].low[i] = static_cast<int>(readable.lower[axis]);
      a.readable[k].high[i] = static_cast<int>(readable.upper[axis]);
    }
    a.changing_low[i] = static_cast<int>(call.changing.lower[axis]);
    a.changing_high[i] = static_cast<int>(call.changing.upper[axis]);
    const int around = (Steps - 1) * reaches[i];
    a.needed_low[i] = std::max(a.low[i] - around, std::min(a.low[i], a.changing_low[i]));
    a.needed_high[i] = std::min(a.high[i] + around, std::max(a.high[i], a.changing_high[i]));
  }
  a.first = static_cast<int>(round_down(a.low[0], N));
  for (ReadableCells& cells : a.readable) {
    cells.first_pack = static_cast<int>(round_down(cells.low[0], N));
    cells.last_pack = static_cast<int>(round_down(cells.high[0] - 1, N));
  }
  a.planes = a.high[2] - a.low[2];
  return a;
}

/// A field that marches, for the copy engine: whole packs.
inline CopiedArray copied_array(const FieldView& f, const ReadableCells& cells, int n) {
  constexpr int pack_words = 4;
  const Index bytes = 16 / n;
  const Index first =
      cells.low[2] * f.slow + cells.low[1] * static_cast<Index>(f.middle) + cells.first_pack;
  return {f.read + first * bytes,
          static_cast<Index>((cells.last_pack - cells.first_pack) / n + 1) * pack_words,
          cells.high[1] - cells.low[1],
          cells.high[2] - cells.low[2],
          f.middle * bytes,
          f.slow * bytes};
}

/// Planes a block should write: blocks fill the device evenly, and few of them spend `lead` planes
/// to begin with and to end.
inline int planes_per_block(int at_once, int columns, int planes, int lead) {
  int best = planes;
  double least = 0;
  for (int chunks = 1; chunks <= (planes + 15) / 16; ++chunks) {
    const int chunk = (planes + chunks - 1) / chunks;
    const int blocks = columns * ((planes + chunk - 1) / chunk);
    const double rounds = (blocks + at_once - 1) / at_once;
    const double time = rounds * (chunk + 2 * lead);
    if (chunks == 1 || time < least) {
      least = time;
      best = chunk;
    }
  }
  return best;
}

/// Blocks that run at a time; allows the kernel its shared memory.
inline int blocks_at_once(const void* kernel, int threads, std::size_t shared_bytes) {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(shared_bytes));
  int device = 0, processors = 1, blocks = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes);
  return std::max(1, processors * blocks);
}

template <class Kernel, class... Arguments>
void launch_marching(Kernel kernel, dim3 blocks, dim3 threads, std::size_t shared_bytes,
                     void* stream, const Arguments&... arguments) {
  cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                       cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
  launch_in_turn(kernel, blocks, threads, shared_bytes, static_cast<cudaStream_t>(stream),
                 arguments...);
}

#ifdef __CUDA_ARCH__

/// The block's dynamic shared memory.
template <class T>
__device__ __forceinline__ T& shared_memory() {
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  return *reinterpret_cast<T*>(shared_bytes);
}

/// The values around one pack of cells.
template <class T, int N, StarReach Reach>
struct Star {
  Pack<T, N> center, before, after;  ///< in the row
  Pack<T, N> middle[2 * Reach.middle + 1], slow[2 * Reach.slow + 1];
};

template <class T, int N, Axis UnitAxis, StarReach Reach>
struct StarReader : goban::detail::FieldAccessorBase {
  using Value = Pack<T, N>;
  static constexpr int components = 1;

  const Star<T, N, Reach>* star;
  int moved[3];

  GOBAN_ACCESSOR_FUNCTION explicit StarReader(const Star<T, N, Reach>& s, int i = 0, int j = 0,
                                              int k = 0)
      : star(&s), moved{i, j, k} {}
  StarReader(const StarReader&) = default;

  GOBAN_ACCESSOR_FUNCTION Value operator()(int i = 0, int j = 0, int k = 0) const {
    const int at[3] = {i + moved[0], j + moved[1], k + moved[2]};
    const int along = at[axis_of(UnitAxis, 0)];
    const int row = at[axis_of(UnitAxis, 1)];
    const int plane = at[axis_of(UnitAxis, 2)];
    if (row != 0) return star->middle[row + Reach.middle];
    if (plane != 0) return star->slow[plane + Reach.slow];
    if (along == 0) return star->center;
    if (along == N) return star->after;
    if (along == -N) return star->before;
    return along > 0 ? window(star->center, star->after, along)
                     : window(star->before, star->center, along + N);
  }
  GOBAN_ACCESSOR_FUNCTION StarReader operator[](int) const { return *this; }
  GOBAN_ACCESSOR_FUNCTION StarReader shift(Axis a, int n) const {
    return StarReader(*star, moved[0] + (a == Axis::x ? n : 0), moved[1] + (a == Axis::y ? n : 0),
                      moved[2] + (a == Axis::z ? n : 0));
  }
  template <Axis A>
  GOBAN_ACCESSOR_FUNCTION StarReader shift(int n) const {
    return shift(A, n);
  }
  template <class X>
  GOBAN_FUNCTION void operator=(X) const {
    GOBAN_CHECK_NOT_WRITTEN(X);
  }
};

/// What cursors of other arguments look at.
struct LevelView {
  const FieldView* field;
  const double* value;
  const SiteInfo& site;
};

/// The functor with the fields that march read of stars; gives what takes their places.
template <class F, int N, Axis Unit, class... P>
struct StarFunctor {
  using Shape = KernelShape<F, Unit, P...>;
  static constexpr int pairs = Shape::pair_count();
  using T = typename std::tuple_element_t<Shape::pairs()[0].in, std::tuple<P...>>::Storage;

  static constexpr int out(int pair) { return Shape::pairs()[static_cast<std::size_t>(pair)].out; }

  template <class Arguments, StarReach Reach>
  static __device__ __forceinline__ void evaluate(const Arguments& a, int level, const Place& place,
                                                  const Star<T, N, Reach> (&stars)[pairs],
                                                  Pack<T, N> (&results)[pairs]) {
    const LevelView view{a.field, a.value[level], a.site[level]};
    evaluate(a, view, place, stars, results, std::index_sequence_for<P...>{});
  }
  template <class Arguments, StarReach Reach>
  static __device__ __forceinline__ Pack<T, N> evaluate(const Arguments& a, int level,
                                                        const Place& place,
                                                        const Star<T, N, Reach>& star) {
    const Star<T, N, Reach> stars[] = {star};
    Pack<T, N> results[1];
    evaluate(a, level, place, stars, results);
    return results[0];
  }

 private:
  /// Of the pair that reads the argument; -1: none.
  static constexpr int pair_of(int argument) {
    for (int k = 0; k < pairs; ++k) {
      if (Shape::pairs()[static_cast<std::size_t>(k)].in == argument) return k;
    }
    return -1;
  }
  template <class Arguments, StarReach Reach, std::size_t... A>
  static __device__ __forceinline__ void evaluate(const Arguments& a, const LevelView& view,
                                                  const Place& place,
                                                  const Star<T, N, Reach> (&stars)[pairs],
                                                  Pack<T, N> (&results)[pairs],
                                                  std::index_sequence<A...>) {
    std::tuple<typename Cursor<P, N, Unit>::Slots...> slots;
    const auto argument = [&](auto position) {
      constexpr int p = position;
      using Mine = Cursor<std::tuple_element_t<p, std::tuple<P...>>, N, Unit>;
      constexpr int pair = pair_of(p);
      if constexpr (pair >= 0) {
        return StarReader<T, N, Unit, Reach>(stars[pair]);
      } else {
        return Mine(view, p, place).template accessor<0, 0>(view, std::get<p>(slots));
      }
    };
    a.functor(argument(std::integral_constant<int, static_cast<int>(A)>{})...);
    unroll<pairs>([&](auto k) {
      constexpr int out = Shape::pairs()[k].out;
      results[k] = std::get<out>(slots).value[0];
    });
  }
};

/// Where a functor is evaluated for the pack at x of a row and plane that may not count.
template <int N, class Arguments>
GOBAN_INLINE Place needed_place(const Arguments& a, int x, int row, int plane) {
  const int first = a.needed_low[0] & -N, last = (a.needed_high[0] - 1) & -N;
  return {min(max(x, first), last), min(max(row, a.needed_low[1]), a.needed_high[1] - 1),
          min(max(plane, a.needed_low[2]), a.needed_high[2] - 1)};
}

/// Lanes first ... first + count - 1 of the pack beside, from the lane below or above.
template <class T, int N>
GOBAN_INLINE Pack<T, N> shuffled(const Pack<T, N>& pack, int first, int count, bool up) {
  constexpr int words = N * static_cast<int>(sizeof(T)) / 4;
  std::uint32_t word[words];
  memcpy(word, &pack.raw, sizeof(word));
  unroll<words>([&](auto w) {
    constexpr int bytes = static_cast<int>(sizeof(T));
    if (4 * w + 4 > first * bytes && 4 * w < (first + count) * bytes) {
      word[w] =
          up ? __shfl_up_sync(0xffffffffu, word[w], 1) : __shfl_down_sync(0xffffffffu, word[w], 1);
    }
  });
  Pack<T, N> result;
  memcpy(&result.raw, word, sizeof(word));
  return result;
}

/// Rows of packs in shared memory.
template <int N, class T>
GOBAN_INLINE Pack<T, N> load_row(const uint4& from) {
  return load<N>(reinterpret_cast<const T*>(&from));
}
template <class T, int N>
GOBAN_INLINE void store_row(uint4& to, const Pack<T, N>& pack) {
  store(reinterpret_cast<T*>(&to), pack);
}

#endif  // __CUDA_ARCH__

/// Where the planes of a window lie that has moved on by Turn.
template <int Planes, int Turn>
struct Ring {
  static __host__ __device__ constexpr int at(int k) { return (k + Turn) % Planes; }
};

}  // namespace goban::cuda
