// Measures functors on cells that stay in the first-level cache of their processor, beside the same
// kernels on a large grid: what arithmetic alone allows, and how much of it a sweep reaches. Needs
// goban's headers, not its library:
//   nvcc -std=c++20 -O3 -arch=sm_90 -fmad=false --expt-relaxed-constexpr
//     -Xcompiler=-march=x86-64-v3,-ffp-contract=off -Isrc -I. -Iapps -o resident
//     benchmarks/cuda/resident.cu apps/dendrite/model.cpp
//   ./resident [--json FILE] [FILTER]
// FILTER is part of "name variant". A variant is rows x planes of a thread and the threads of a
// block; FLOPs are those that goban counts in the functor.

#include "dendrite/stencils.hpp"
#include "goban/backend/cuda/sweep.cuh"
#include "measuring.cuh"

namespace {

using goban::Access;
using goban::Axis;
using goban::cuda::Block;
using goban::cuda::KernelShape;
using In = goban::FieldParameter<Access::in, float>;
using Out = goban::FieldParameter<Access::out, float>;

/// What a thread of a sweep does, again and again: a block of threads has planes of its own, which
/// all evaluations but the first find in its cache. What it stores goes no farther than the
/// second-level cache.
template <class F, int N, int Rows, int Planes, class... P>
__global__ void __launch_bounds__(goban::cuda::most_threads, Rows* Planes > 1 ? 1 : 0)
    resident_kernel(const __grid_constant__ goban::cuda::SweepArguments<F, sizeof...(P), 0> a,
                    int repeats, int moved) {
#ifdef __CUDA_ARCH__
  using Mine = goban::cuda::Thread<F, N, Rows, Planes, Axis::x, P...>;
#pragma unroll 1
  for (int n = 0; n < repeats; ++n) {
    // Not moved at all, but the compiler has to compute anew.
    const goban::cuda::Place at{static_cast<int>(threadIdx.x) * N,
                                static_cast<int>(threadIdx.y) * Rows,
                                static_cast<int>(blockIdx.x) * Planes + n * moved};
    typename Mine::Slots slots[Rows * Planes];
    Mine::evaluate(a, at, slots, Mine::parameters);
    Mine::store(a, at, slots, Mine::parameters);
  }
#endif
}

/// Two fields and what becomes of them, as a kernel is called with them.
template <class F>
class Arrays {
 public:
  Arrays(const F& functor, int nx, int ny, int nz)
      : functor_(functor), grid_(grid_of<float>(nx, ny, nz)), in_(grid_, 2), out_(grid_, 2) {
    launch(&fill<float>, {dim3(4096), dim3(256)}, nullptr, in_.memory(), in_.size(),
           in_.component(), Content::numbers);
    level_.box = goban::Box{{0, 0, 0}, {nx, ny, nz}};
    for (int i = 0; i < 4; ++i) {
      goban::FieldBinding& field = fields_[i];
      field.read = reinterpret_cast<const std::byte*>(in_.cells() + i % 2 * in_.component());
      field.write = reinterpret_cast<std::byte*>(out_.cells() + i % 2 * out_.component());
      field.stride = {1, grid_.pitch, grid_.plane};
      field.clip = level_.box;
    }
    level_.functor = &functor_;
    level_.fields = fields_;
    level_.values = values_;
    call_.sweep = &level_;
  }
  Arrays(const Arrays&) = delete;

  goban::DeviceCall& call() { return call_; }
  double cells() const { return double{1} * grid_.nx * grid_.ny * grid_.nz; }

 private:
  F functor_;
  Grid grid_;
  Field<float> in_, out_;
  goban::FieldBinding fields_[4];
  double values_[4] = {};
  goban::SweepCall level_;
  goban::DeviceCall call_;
};

struct Request {
  std::string filter;
  std::FILE* json = nullptr;
};

int registers_of(const void* kernel) {
  cudaFuncAttributes attributes{};
  cudaFuncGetAttributes(&attributes, kernel);
  return attributes.numRegs;
}

template <class F, Block Each>
void measure(const Request& request, const char* name, const F& functor, std::array<int, 3> threads,
             std::array<int, 3> large) {
  using Shape = KernelShape<F, Axis::x, In, In, Out, Out>;
  constexpr int width = Shape::width(), repeats = 200;
  constexpr double flops = goban::constant_footprint<F, In, In, Out, Out>.flops;
  constexpr auto resident = &resident_kernel<F, width, Each.rows, Each.planes, In, In, Out, Out>;
  constexpr auto sweep =
      &goban::cuda::sweep_kernel<F, width, Each.rows, Each.planes, Axis::x, In, In, Out, Out>;
  const std::string variant =
      shape("", Each.rows, Each.planes) + " " + shape("", threads[0], threads[1]);
  if ((name + (" " + variant)).find(request.filter) == std::string::npos) return;

  int processors = 0, blocks = 0;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, resident, threads[0] * threads[1], 0);
  Arrays<F> small(functor, threads[0] * width, threads[1] * Each.rows,
                  processors * blocks * Each.planes);
  const auto arguments =
      goban::cuda::arguments_of<F, Axis::x, In, In, Out, Out>(small.call(), width);
  const double once = median_milliseconds([&] {
    resident<<<processors * blocks, dim3(threads[0], threads[1])>>>(arguments, repeats, 0);
  });
  Arrays<F> all(functor, large[0], large[1], large[2]);
  all.call().shape.threads = threads;
  const double swept = median_milliseconds(
      [&] { goban::cuda::launch_block<F, width, Each, Axis::x, In, In, Out, Out>(all.call()); });
  if (!is_fine(cudaDeviceSynchronize(), name)) std::exit(1);

  const double rate = 1e-6 * small.cells() * repeats / once, sweeps = 1e-6 * all.cells() / swept;
  const int mine = registers_of(reinterpret_cast<const void*>(resident));
  const int theirs = registers_of(reinterpret_cast<const void*>(sweep));
  std::printf("%-12s %-12s %5d %5d %7d %7.0f %10.1f %9.2f %10.1f %9.2f %7.2f\n", name,
              variant.c_str(), mine, theirs, blocks, flops, rate, 1e-3 * flops * rate, sweeps,
              1e-3 * flops * sweeps, sweeps / rate);
  std::fflush(stdout);
  if (request.json == nullptr) return;
  std::fprintf(request.json,
               "{\"name\": \"%s\", \"variant\": \"%s\", \"registers\": %d, \"sweep_registers\": "
               "%d, \"blocks_per_processor\": %d, \"flops_per_update\": %.0f, "
               "\"resident_glups\": %.2f, \"sweep_glups\": %.2f, \"share\": %.4f}\n",
               name, variant.c_str(), mine, theirs, blocks, flops, rate, sweeps, sweeps / rate);
  std::fflush(request.json);
}

template <class F>
void measure_all(const Request& request, const char* name, const F& functor,
                 std::array<int, 3> large) {
  using Shape = KernelShape<F, Axis::x, In, In, Out, Out>;
  for (const std::array<int, 3> threads : {std::array{32, 8, 1}, {32, 4, 1}, {32, 2, 1}}) {
    measure<F, Block{}>(request, name, functor, threads, large);
    goban::unroll<2>([&](auto i) {
      constexpr Block each = Shape::blocks()[i];
      if constexpr (each.rows * each.planes > 1) {
        measure<F, each>(request, name, functor, threads, large);
      }
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace goban::dendrite;
  Request request;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
      request.json = std::fopen(argv[++i], "w");
    } else {
      request.filter = argv[i];
    }
  }
  std::printf("%-12s %-12s %5s %5s %7s %7s %10s %9s %10s %9s %7s\n", "functor", "variant", "regs",
              "sweep", "blocks", "flops", "GLUP/s", "TFLOP/s", "sweep", "TFLOP/s", "share");
  constexpr double h = 1e-8, dt = 1e-9;
  Alloy alloy;
  alloy.composition = 3;
  alloy.kinetic_coefficient = 0.03;
  alloy.width = 4 * h;
  const Isothermal<float> undercooling{14};
  measure_all(request, "alloy 3-D",
              GrowInAlloy<3, float, Isothermal<float>>::with(alloy, h, dt, undercooling),
              {384, 384, 384});
  measure_all(request, "alloy 2-D",
              GrowInAlloy<2, float, Isothermal<float>>::with(alloy, h, dt, undercooling),
              {4096, 4096, 1});
  Thermal melt;
  melt.coupling = Thermal::coupling_without_kinetics(melt.diffusivity, 1, 1);
  measure_all(request, "melt 2-D", GrowInMelt<2, float, Quiet>::with(melt, 0.5, 0.0075, {}),
              {4096, 4096, 1});
  if (request.json != nullptr) std::fclose(request.json);
  return 0;
}
