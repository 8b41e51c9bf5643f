#include "goban/backend/cuda/fill.cuh"

#include <algorithm>
#include <type_traits>

#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/cuda/turn.cuh"
#include "goban/backend/host/fill.hpp"
#ifdef __CUDA_ARCH__
#include "goban/stencil/pack.hpp"
#endif

namespace goban::cuda {
namespace {

using Kind = BoundaryCondition::Kind;

/// One fill: the layers of a place are filled by one thread, from the lowest on.
struct Fill {
  std::byte* cells;  ///< local cell (0, 0, 0)
  Index stride[3];   ///< elements, fastest axis first
  int low[3], high[3];
  int along;  ///< 0, 1, 2: the fill's axis is the fastest, middle, slowest
  int wall;   ///< local index of the wall on the high side
  bool is_low, staggered;
  Kind kind;
  double value, spacing;
};

/// Fills that do not depend on each other, a row of blocks each.
struct Fills {
  static constexpr int most = 12;
  Fill fill[most];
};

#ifdef __CUDA_ARCH__
template <class T>
__device__ ArithmeticOf<T> number(const T& element) {
  if constexpr (std::is_same_v<T, half>) {
    return detail::float_of_half(element.bits);
  } else {
    return element;
  }
}
template <class T>
__device__ T element(ArithmeticOf<T> number) {
  if constexpr (std::is_same_v<T, half>) {
    T result;
    result.bits = detail::half_of_float(number);
    return result;
  } else {
    return number;
  }
}
/// Integers wrap.
template <class A>
__device__ A from_double(double value) {
  if constexpr (std::is_integral_v<A>) {
    return static_cast<A>(static_cast<long long>(value));
  } else {
    return static_cast<A>(value);
  }
}
template <class A>
__device__ A sum(A a, A b) {
  if constexpr (std::is_integral_v<A>) {
    return static_cast<A>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  } else {
    return a + b;
  }
}
template <class A>
__device__ A difference(A a, A b) {
  if constexpr (std::is_integral_v<A>) {
    return static_cast<A>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
  } else {
    return a - b;
  }
}
#endif

template <class T>
__global__ void __launch_bounds__(256) fill_kernel(const __grid_constant__ Fills fills) {
  let_next_launch();
  wait_for_turn();
#ifdef __CUDA_ARCH__
  const Fill& f = fills.fill[blockIdx.y];
  using A = ArithmeticOf<T>;
  int first[3] = {f.low[0], f.low[1], f.low[2]};
  int extent[3] = {f.high[0] - f.low[0], f.high[1] - f.low[1], f.high[2] - f.low[2]};
  const int layers = extent[f.along];
  extent[f.along] = 1;
  const unsigned int n = static_cast<unsigned int>(extent[0]) *
                         static_cast<unsigned int>(extent[1]) *
                         static_cast<unsigned int>(extent[2]);
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned int row = i / static_cast<unsigned int>(extent[0]);
    const unsigned int plane = row / static_cast<unsigned int>(extent[1]);
    const int at[3] = {static_cast<int>(i - row * static_cast<unsigned int>(extent[0])),
                       static_cast<int>(row - plane * static_cast<unsigned int>(extent[1])),
                       static_cast<int>(plane)};
    T* place = reinterpret_cast<T*>(f.cells);
    for (int a = 0; a < 3; ++a) place += (first[a] + at[a]) * f.stride[a];
    const Index step = f.stride[f.along];
    for (int layer = 0; layer < layers; ++layer) {
      const int index = first[f.along] + layer;
      const int depth = f.is_low ? -index : f.staggered ? index - f.wall : index - f.wall + 1;
      const Index inside = mirrored(index, f.wall, f.staggered) - index;
      T* cell = place + layer * step;
      const double distance = f.spacing * (f.staggered ? 2 * depth : 2 * depth - 1);
      switch (depth == 0 ? Kind::constant : f.kind) {
        case Kind::constant: *cell = element<T>(from_double<A>(f.value)); break;
        case Kind::wall_value:
          *cell = element<T>(difference(from_double<A>(2 * f.value), number(cell[inside * step])));
          break;
        case Kind::gradient:
          *cell = element<T>(sum(number(cell[inside * step]), from_double<A>(f.value * distance)));
          break;
        default: *cell = cell[inside * step];
      }
    }
  }
#endif
}

/// The piece of memory that a rule of the user's own reads and writes comes to the host and back.
void fill_on_host(const FillTask& task, cudaStream_t stream) {
  const auto size = static_cast<Index>(size_of(task.type));
  const auto [fast, middle, slow] = task.order;
  Box box = task.box;
  const Index reach = box.extent(task.axis) + GhostCell::most + 1;
  if (task.side == Side::low) {
    box.upper[task.axis] = std::min(box.upper[task.axis] + reach, task.cells + 1);
  } else {
    box.lower[task.axis] = std::max<Index>(box.lower[task.axis] - reach, 0);
  }
  std::vector<std::byte> dense(static_cast<std::size_t>(box.volume() * size));
  auto parameters = [&](std::byte* host, const Box& part, cudaMemcpyKind kind) {
    auto pointer = [&](const std::array<Index, 3>& stride, std::byte* origin, const Index3& lower) {
      std::byte* first = origin;
      for (int a = 0; a < 3; ++a) first += lower[a] * stride[a] * size;
      const auto pitch = static_cast<std::size_t>(stride[middle] * size);
      return make_cudaPitchedPtr(first, pitch, pitch,
                                 static_cast<std::size_t>(stride[slow] / stride[middle]));
    };
    std::array<Index, 3> dense_stride{};
    dense_stride[fast] = 1;
    dense_stride[middle] = box.extent(fast);
    dense_stride[slow] = box.extent(fast) * box.extent(middle);
    const auto on_host = pointer(dense_stride, host, part.lower - box.lower);
    const auto on_device = pointer(task.field.stride, task.field.write, part.lower);
    cudaMemcpy3DParms p{};
    p.kind = kind;
    p.srcPtr = kind == cudaMemcpyDeviceToHost ? on_device : on_host;
    p.dstPtr = kind == cudaMemcpyDeviceToHost ? on_host : on_device;
    p.extent = make_cudaExtent(static_cast<std::size_t>(part.extent(fast) * size),
                               static_cast<std::size_t>(part.extent(middle)),
                               static_cast<std::size_t>(part.extent(slow)));
    return p;
  };
  auto out = parameters(dense.data(), box, cudaMemcpyDeviceToHost);
  check(cudaMemcpy3DAsync(&out, stream), "reading cells beside a boundary");
  check(cudaStreamSynchronize(stream), "reading cells beside a boundary");
  FillTask on_host = task;
  on_host.field.stride[fast] = 1;
  on_host.field.stride[middle] = box.extent(fast);
  on_host.field.stride[slow] = box.extent(fast) * box.extent(middle);
  Index origin = 0;
  for (int a = 0; a < 3; ++a) origin += box.lower[a] * on_host.field.stride[a];
  on_host.field.write = dense.data() - origin * size;
  on_host.field.read = on_host.field.write;
  host::run_fill(on_host);
  auto in = parameters(dense.data(), task.box, cudaMemcpyHostToDevice);
  check(cudaMemcpy3DAsync(&in, stream), "writing ghost cells");
  check(cudaStreamSynchronize(stream), "writing ghost cells");
}

Fill fill_of(const FillTask& task) {
  Fill f{};
  f.cells = task.field.write;
  for (int i = 0; i < 3; ++i) {
    const int axis = task.order[static_cast<std::size_t>(i)];
    f.stride[i] = task.field.stride[static_cast<std::size_t>(axis)];
    f.low[i] = static_cast<int>(task.box.lower[axis]);
    f.high[i] = static_cast<int>(task.box.upper[axis]);
    if (axis == task.axis) f.along = i;
  }
  f.wall = static_cast<int>(task.cells);
  f.is_low = task.side == Side::low;
  f.staggered = task.staggered;
  f.kind = task.condition.kind;
  f.value = task.condition.value;
  f.spacing = task.spacing;
  return f;
}

/// The ghost cells of a fill and those inside that they mirror.
Box touched(const FillTask& task) {
  Box box = task.box;
  const Index width = box.extent(task.axis) + 1;
  (task.side == Side::low ? box.upper : box.lower)[task.axis] +=
      task.side == Side::low ? width : -width;
  return box;
}

bool depend(const FillTask& a, const FillTask& b) {
  return a.field.write == b.field.write &&
         (!intersection(touched(a), b.box).empty() || !intersection(touched(b), a.box).empty());
}

void launch(const std::vector<const FillTask*>& tasks, cudaStream_t stream) {
  if (tasks.empty()) return;
  Fills fills;
  Index most = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    fills.fill[i] = fill_of(*tasks[i]);
    most = std::max(most, tasks[i]->box.volume() / tasks[i]->box.extent(tasks[i]->axis));
  }
  const dim3 blocks(static_cast<unsigned int>(std::min<Index>((most + 255) / 256, 4096)),
                    static_cast<unsigned int>(tasks.size()));
  visit_element(tasks.front()->type, [&]<class T>(T) {
    launch_in_turn(&fill_kernel<T>, blocks, 256, 0, stream, fills);
  });
  check(cudaGetLastError(), "filling ghost cells");
}

}  // namespace

void run_fills(const std::vector<FillTask>& tasks, cudaStream_t stream) {
  std::vector<const FillTask*> together;
  const auto flush = [&] {
    launch(together, stream);
    together.clear();
  };
  for (const FillTask& task : tasks) {
    if (task.box.empty()) continue;
    const bool is_custom = task.condition.kind == Kind::custom;
    const bool is_apart = is_custom || together.size() == Fills::most ||
                          std::any_of(together.begin(), together.end(), [&](const FillTask* other) {
                            return other->type != task.type || depend(*other, task);
                          });
    if (is_apart) flush();
    if (is_custom) {
      fill_on_host(task, stream);
    } else {
      together.push_back(&task);
    }
  }
  flush();
}

}  // namespace goban::cuda
