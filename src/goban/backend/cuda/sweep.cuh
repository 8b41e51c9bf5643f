#pragma once
// The device kernels of a functor: a thread evaluates packs of a few rows and planes.

#include <atomic>
#include <tuple>
#include <utility>

#include "goban/backend/cuda/kernel_shape.hpp"
#include "goban/backend/cuda/launch.hpp"
#include "goban/backend/cuda/march.cuh"
#include "goban/backend/cuda/turn.cuh"
#ifdef __CUDA_ARCH__
#include "goban/backend/cuda/carries.hpp"
#include "goban/backend/cuda/pulled.cuh"
#include "goban/backend/cuda/reduction.cuh"
#endif

namespace goban::cuda {

#ifdef __CUDA_ARCH__
/// Evaluates the functor at the cells of a block and stores what it leaves in `slots`.
template <class F, int N, int Rows, int Planes, Axis Unit, class... P>
struct Thread {
  static constexpr auto parameters = std::index_sequence_for<P...>{};
  using Slots = std::tuple<typename Cursor<P, N, Unit>::Slots...>;
  using Shape = KernelShape<F, Unit, P...>;
  template <std::size_t A>
  using CursorOf = Cursor<
      ParameterInSweep<Shape, static_cast<int>(A), std::tuple_element_t<A, std::tuple<P...>>>, N,
      Unit>;

  template <class Arguments, std::size_t... A>
  static __device__ __forceinline__ void evaluate(const Arguments& a, const Place& at,
                                                  Slots (&slots)[Rows * Planes],
                                                  std::index_sequence<A...>) {
    const std::tuple<CursorOf<A>...> cursors(CursorOf<A>(a, static_cast<int>(A), at)...);
    unroll<Planes>([&](auto plane) {
      unroll<Rows>([&](auto row) {
        auto& mine = slots[plane * Rows + row];
        a.functor(std::get<A>(cursors).template accessor<row, plane>(a, std::get<A>(mine))...);
      });
    });
  }

  /// Addresses are computed anew: kept since they were read they would fill registers.
  template <class Arguments, std::size_t... A>
  static __device__ __forceinline__ void store(const Arguments& a, Place at,
                                               const Slots (&slots)[Rows * Planes],
                                               std::index_sequence<A...>) {
    asm volatile("" : "+r"(at.fast));
    const std::tuple<CursorOf<A>...> cursors(CursorOf<A>(a, static_cast<int>(A), at)...);
    unroll<Planes>([&](auto plane) {
      unroll<Rows>([&](auto row) {
        const auto& mine = slots[plane * Rows + row];
        // Where rows end warps do both, which does not pay with many components.
        if (!Shape::has_many_values && is_plain<N>(a, at.fast, at.middle + row, at.slow + plane)) {
          (std::get<A>(cursors).template store_plain<row, plane>(a, std::get<A>(mine)), ...);
        } else {
          (std::get<A>(cursors).template store<row, plane>(a, std::get<A>(mine)), ...);
        }
      });
    });
  }

  template <class Arguments, std::size_t... A>
  static __device__ __forceinline__ void send_row_ends(const Arguments& a, const Place& at,
                                                       std::index_sequence<A...>) {
    (CursorOf<A>(a, static_cast<int>(A), at).send_row_ends(a), ...);
  }

  template <class Arguments, std::size_t... A>
  static __device__ __forceinline__ Pack<double, N> value(const Arguments& a, const Place& at,
                                                          std::index_sequence<A...>) {
    const std::tuple<CursorOf<A>...> cursors(CursorOf<A>(a, static_cast<int>(A), at)...);
    Slots slots;
    a.functor(std::get<A>(cursors).template accessor<0, 0>(a, std::get<A>(slots))...);
    return std::get<0>(slots).value[0];
  }
};
#endif

inline constexpr int most_threads = 256;

/// Blocks of threads run along x, then through a slab of rows, then up the planes, then on to the
/// next slab: what neighbours share is still in the second-level cache. Threads at the end of an
/// axis are moved back so that all they update lies within the box.
template <class F, int N, int Rows, int Planes, Axis Unit, class... P>
__global__ void __launch_bounds__(most_threads,
                                  KernelShape<F, Unit, P...>::least_blocks(Rows* Planes))
    sweep_kernel(const __grid_constant__ SweepArguments<F, sizeof...(P), most_in_place<P...>> a) {
#ifdef __CUDA_ARCH__
  let_next_launch();
  wait_for_turn();
  const unsigned int slab_row = blockIdx.x / a.blocks_x,
                     block_x = blockIdx.x - slab_row * a.blocks_x;
  const unsigned int block_y = blockIdx.z * a.slab + slab_row;
  Place at;
  at.fast = a.first + static_cast<int>(block_x * blockDim.x + threadIdx.x) * N;
  at.middle = a.low[1] + static_cast<int>(block_y * blockDim.y + threadIdx.y) * Rows;
  at.slow = a.low[2] + static_cast<int>(blockIdx.y * blockDim.z + threadIdx.z) * Planes;
  if (at.fast >= a.high[0] || at.middle >= a.high[1] || at.slow >= a.high[2]) return;
  if constexpr (Rows > 1) at.middle = min(at.middle, a.high[1] - Rows);
  if constexpr (Planes > 1) at.slow = min(at.slow, a.high[2] - Planes);
  using Mine = Thread<F, N, Rows, Planes, Unit, P...>;
  typename Mine::Slots slots[Rows * Planes];
  Mine::evaluate(a, at, slots, Mine::parameters);
  Mine::store(a, at, slots, Mine::parameters);
#endif
}

/// A block of threads updates a row in place, part by part: it reads all cells of a part before it
/// writes any. What the last thread would write the next part reads, too: it waits in shared memory
/// until then. Threads beyond the end of the row read what is before it.
template <class F, int N, Axis Unit, class... P>
__global__ void __launch_bounds__(most_threads, KernelShape<F, Unit, P...>::has_many_values ? 2 : 0)
    in_place_kernel(
        const __grid_constant__ SweepArguments<F, sizeof...(P), most_in_place<P...>> a) {
#ifdef __CUDA_ARCH__
  using Mine = Thread<F, N, 1, 1, Unit, P...>;
  let_next_launch();
  wait_for_turn();
  const int last_pack = a.first + (a.high[0] - 1 - a.first) / N * N;
  Place at{a.first + static_cast<int>(threadIdx.x) * N, a.low[1] + static_cast<int>(blockIdx.x),
           a.low[2] + static_cast<int>(blockIdx.y)};
  typename Mine::Slots slots[1];
  __shared__ alignas(16) unsigned char waiting[2][sizeof(slots)];
  const int part_length = static_cast<int>(blockDim.x) * N;
  const bool is_last = threadIdx.x == blockDim.x - 1;
  for (int part = 0; part * part_length <= last_pack - a.first; ++part) {
    Mine::evaluate(a, {min(at.fast, last_pack), at.middle, at.slow}, slots, Mine::parameters);
    __syncthreads();
    if (is_last && at.fast < last_pack) {
      memcpy(waiting[part % 2], &slots, sizeof(slots));
    } else if (at.fast <= last_pack) {
      Mine::store(a, at, slots, Mine::parameters);
    }
    if (threadIdx.x == 0 && part > 0) {
      memcpy(&slots, waiting[1 - part % 2], sizeof(slots));
      Mine::store(a, {at.fast - N, at.middle, at.slow}, slots, Mine::parameters);
    }
    at.fast += part_length;
  }
  __syncthreads();
  Mine::send_row_ends(a, at, Mine::parameters);
#endif
}

/// A thread walks some planes and adds up what the functor returns.
template <class F, int N, Axis Unit, class... P>
__global__ void __launch_bounds__(most_threads)
    reduce_kernel(const __grid_constant__ SweepArguments<F, sizeof...(P), most_in_place<P...>> a) {
#ifdef __CUDA_ARCH__
  __shared__ unsigned long long limbs[state_size];
  const int thread = static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y);
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  const bool is_sum = a.reduction.kind == static_cast<int>(Reduction::sum);
  for (int i = thread; i < state_size; i += threads) limbs[i] = 0;
  __syncthreads();
  Place at;
  at.fast = a.first + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * N;
  at.middle = a.low[1] + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  at.slow = a.low[2] + static_cast<int>(blockIdx.z) * a.planes;
  PartialSum sum;
  PartialExtremum extremum(a.reduction.kind == static_cast<int>(Reduction::minimum));
  if (at.fast < a.high[0] && at.middle < a.high[1]) {
    const int end = min(at.slow + a.planes, a.high[2]);
    using Mine = Thread<F, N, 1, 1, Unit, P...>;
    for (; at.slow < end; ++at.slow) {
      const Pack<double, N> values = Mine::value(a, at, Mine::parameters);
      const auto* mask = reinterpret_cast<const std::uint8_t*>(a.mask.read);
      if (mask)
        mask += at.fast + at.middle * static_cast<Index>(a.mask.middle) + at.slow * a.mask.slow;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        if (at.fast + i < a.low[0] || at.fast + i >= a.high[0]) continue;
        if (mask && mask[i] == 0) continue;
        if (is_sum) {
          sum.add(values.lane(i), limbs);
        } else {
          extremum.add(values.lane(i));
        }
      }
    }
  }
  __syncwarp();
  if (!is_sum) return extremum.flush(a.reduction.state);
  sum.flush(limbs);
  __syncthreads();
  for (int i = thread; i < state_size; i += threads) {
    const auto part = static_cast<unsigned long long>(with_carries(limbs, i));
    if (part != 0) atomicAdd(a.reduction.state + i, part);
  }
#endif
}

/// Cells with which nothing is to be done but to store them.
template <class... P, class Arguments>
void find_plain(Arguments& a) {
  constexpr bool is_written[] = {is_output<P> || is_updated<P>...};
  std::copy(a.low, a.low + 3, a.plain_low);
  std::copy(a.high, a.high + 3, a.plain_high);
  const auto leave_out = [&](const SendView& sent, int axis) {
    if (sent.components == 0) return;
    if (sent.first <= a.low[axis]) {
      a.plain_low[axis] = std::max(a.plain_low[axis], sent.last);
    } else {
      a.plain_high[axis] = std::min(a.plain_high[axis], sent.first);
    }
  };
  for (std::size_t f = 0; f < sizeof...(P); ++f) {
    if (!is_written[f]) continue;
    for (int i = 0; i < 3; ++i) {
      a.plain_low[i] = std::max(a.plain_low[i], a.field[f].low[i]);
      a.plain_high[i] = std::min(a.plain_high[i], a.field[f].high[i]);
    }
    for (const SendView& sent : a.planes_sent[f]) leave_out(sent, 2);
    for (const SendView& sent : a.ends_sent[f]) leave_out(sent, 0);
  }
  if (a.mask.read) a.plain_high[0] = a.plain_low[0];
}

/// Everything a launch of the kernels of one functor needs.
template <class F, Axis Unit, class... P>
SweepArguments<F, sizeof...(P), most_in_place<P...>> arguments_of(const DeviceCall& call,
                                                                  int width) {
  const auto order = Unit == Axis::z ? kij::order : ijk::order;
  const SweepCall& sweep = *call.sweep;
  SweepArguments<F, sizeof...(P), most_in_place<P...>> a{.functor =
                                                             *static_cast<const F*>(sweep.functor)};
  for (std::size_t i = 0; i < sizeof...(P); ++i) {
    a.field[i] = view_of(sweep.fields[i], order);
    if (call.sends) {
      view_sends(a.planes_sent[i], call.sends[i].planes);
      view_sends(a.ends_sent[i], call.sends[i].ends);
    }
    a.value[i] = sweep.values[i];
    if constexpr (0 < most_in_place<P...>) {
      if (!sweep.fields[i].places) continue;
      const auto& offsets = sweep.fields[i].places->offset;
      std::copy(offsets.begin(), offsets.end(), a.places.offset[i]);
    }
  }
  if (sweep.mask) a.mask = view_of(*sweep.mask, order);
  a.site = sweep.site;
  for (int i = 0; i < 3; ++i) {
    a.low[i] = static_cast<int>(sweep.box.lower[order[i]]);
    a.high[i] = static_cast<int>(sweep.box.upper[order[i]]);
  }
  a.first = static_cast<int>(round_down(a.low[0], width));
  find_plain<P...>(a);
  return a;
}

/// Blocks that a device runs at a time; asked once for every number of warps.
template <auto Kernel>
unsigned int blocks_in_flight(int threads) {
  static std::array<std::atomic<int>, most_threads / 32 + 1> known{};
  std::atomic<int>& blocks = known[static_cast<std::size_t>((threads + 31) / 32)];
  if (blocks == 0) blocks = blocks_at_once(reinterpret_cast<const void*>(Kernel), threads, 0);
  return static_cast<unsigned int>(blocks.load());
}

/// More than this of what neighbours share does not stay in the second-level cache.
inline constexpr Index cache_bytes = Index{32} << 20;

/// Bytes of so many planes of all inputs.
template <class... P, class Arguments>
Index shared_bytes(const Arguments& a, int planes) {
  Index bytes = 0, i = 0;
  ((bytes += (is_output<P> ? 0 : stored_bytes<P> * a.field[i].slow), ++i), ...);
  return bytes * planes;
}

template <class F, int N, Block Each, Axis Unit, class... P>
void launch_block(const DeviceCall& call) {
  auto a = arguments_of<F, Unit, P...>(call, N);
  using Shape = KernelShape<F, Unit, P...>;
  auto [x, y, z] = call.shape.threads[0] > 0 ? call.shape.threads : Shape::threads();
  // Threads beyond the ends of short rows take the next rows instead.
  const int packs = (a.high[0] - a.first + N - 1) / N;
  for (; x > 4 && x / 2 >= packs; x /= 2) y *= 2;
  a.blocks_x = blocks_of(a.high[0] - a.first, N * x);
  const unsigned int blocks_y = blocks_of(a.high[1] - a.low[1], Each.rows * y);
  a.slab = blocks_y;
  using Order = LaunchShape::Order;
  const bool is_large = shared_bytes<P...>(a, Each.planes + 2 * Shape::reach()) > cache_bytes;
  constexpr auto kernel = &sweep_kernel<F, N, Each.rows, Each.planes, Unit, P...>;
  if (call.shape.order == Order::by_size ? is_large : call.shape.order == Order::slabs) {
    a.slab = std::min(blocks_y, std::max(1u, blocks_in_flight<kernel>(x * y * z) / a.blocks_x));
  }
  const dim3 threads(x, y, z);
  const dim3 blocks(a.blocks_x * a.slab, blocks_of(a.high[2] - a.low[2], Each.planes * z),
                    (blocks_y + a.slab - 1) / a.slab);
  launch_in_turn(kernel, blocks, threads, 0, static_cast<cudaStream_t>(call.stream), a);
}

template <class F, int N, Axis Unit, class... P>
void launch_in_place(const DeviceCall& call) {
  const auto a = arguments_of<F, Unit, P...>(call, N);
  constexpr unsigned int most = KernelShape<F, Unit, P...>::has_many_values ? 128 : 256;
  const dim3 threads(std::min(32 * blocks_of(a.high[0] - a.first, 32 * N), most));
  const dim3 blocks(a.high[1] - a.low[1], a.high[2] - a.low[2]);
  launch_in_turn(&in_place_kernel<F, N, Unit, P...>, blocks, threads, 0,
                 static_cast<cudaStream_t>(call.stream), a);
}

template <class F, int N, Axis Unit, class... P>
void launch_reduction(const DeviceCall& call) {
  auto a = arguments_of<F, Unit, P...>(call, N);
  a.reduction = {static_cast<unsigned long long*>(call.reduction),
                 static_cast<int>(call.sweep->reducer->kind)};
  const int planes = a.high[2] - a.low[2];
  a.planes = std::max(1, std::min(32, planes / 8));
  const dim3 threads(32, 8);
  const dim3 blocks(blocks_of(a.high[0] - a.first, 32 * N), blocks_of(a.high[1] - a.low[1], 8),
                    blocks_of(planes, a.planes));
  reduce_kernel<F, N, Unit, P...>
      <<<blocks, threads, 0, static_cast<cudaStream_t>(call.stream)>>>(a);
}

/// Functors that reach one cell march four steps in a pass, two with several fields that march;
/// those that reach farther march through single sweeps, too.
template <class F, Axis Unit, class... P>
void add_marches(DeviceKernels& kernels) {
  constexpr StarReach reach = KernelShape<F, Unit, P...>::star();
  constexpr int farthest = std::max({reach.fast, reach.middle, reach.slow});
  if constexpr (KernelShape<F, Unit, P...>::pair_count() > 1) {
    if constexpr (farthest == 1 && reach.slow == 1) {
      kernels.march[2] = &launch_march<F, 2, Unit, P...>;
    }
  } else if constexpr (farthest == 1 && reach.slow == 1) {
    kernels.march[4] = &launch_march<F, 4, Unit, P...>;
  } else if constexpr (farthest <= 4 && reach.fast <= KernelShape<F, Unit, P...>::width() &&
                       reach.slow >= 1) {
    kernels.march[1] = &launch_march<F, 1, Unit, P...>;
  }
}

template <class F, Axis Unit, class... P>
DeviceKernels make_kernels() {
  DeviceKernels kernels;
  if constexpr (is_reduction<F>) {
    return []<class Result, class... Q>(std::tuple<Result, Q...>*) {
      constexpr int width = KernelShape<F, Unit, P...>::width();
      DeviceKernels reduction;
      reduction.sweeps[0].launch = &launch_reduction<F, width, Unit, ReductionParameter, Q...>;
      reduction.pack_width = width;
      reduction.functor = &typeid(F);
      return reduction;
    }(static_cast<std::tuple<P...>*>(nullptr));
  } else {
    using Shape = KernelShape<F, Unit, P...>;
    constexpr int width = Shape::width();
    if constexpr (Shape::writes_in_place) {
      kernels.sweeps[0].launch = &launch_in_place<F, width, Unit, P...>;
    } else {
      kernels.sweeps[0].launch = &launch_block<F, width, Block{}, Unit, P...>;
    }
    unroll<2>([&](auto i) {
      constexpr Block block = Shape::blocks()[i];
      if constexpr (block.rows * block.planes > 1) {
        kernels.sweeps[i + 1] = {&launch_block<F, width, block, Unit, P...>,
                                 {block.rows, block.planes}};
      }
    });
    if constexpr (Shape::pair_count() > 0) add_marches<F, Unit, P...>(kernels);
    kernels.pairs = Shape::pairs();
    kernels.pack_width = width;
    kernels.functor = &typeid(F);
    return kernels;
  }
}

}  // namespace goban::cuda
