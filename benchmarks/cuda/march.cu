// Measures goban's marching kernels on their own beside the hand-written twins and one sweep at a
// time, and checks their bits. Needs goban's headers, not its library:
//   nvcc -std=c++20 -O3 -arch=sm_90 -fmad=false --expt-relaxed-constexpr
//     -Xcompiler=-march=x86-64-v3,-ffp-contract=off -Isrc -I. -Iapps -o march
//     benchmarks/cuda/march.cu
//   ./march [--quick] [--json FILE] [FILTER]
// --quick leaves out 1024^3; FILTER is part of "name variant".

#include "benchmarks/kernels.hpp"
#include "goban/backend/cuda/sweep.cuh"
#include "heat/stencils.hpp"
#include "measuring.cuh"
#include "twins/heat25.cuh"
#include "twins/heat7.cuh"
#include "twins/heat7_temporal_async.cuh"

namespace {

using goban::Access;
using goban::Axis;
using goban::cuda::Block;
using goban::cuda::MarchShape;
template <class T>
using In = goban::FieldParameter<Access::in, T, 1>;
template <class T>
using Out = goban::FieldParameter<Access::out, T, 1>;

/// A functor whose arguments are the components of the field it marches, and the new one.
template <class F, class T, class... P>
class Functor {
 public:
  Functor(const F& functor, const Grid& grid, Index component)
      : functor_(functor), grid_(grid), component_(component) {}

  template <int Width, Block Each>
  void sweep(const T* u, T* next, std::array<int, 3> threads) const {
    const Bound bound(*this, u, next);
    goban::DeviceCall call;
    call.sweep = &bound.level;
    call.shape.threads = threads;
    goban::cuda::launch_block<F, Width, Each, Axis::x, P...>(call);
  }

  template <int Steps, MarchShape Shape>
  void march(const T* u, T* next) const {
    const Bound bound(*this, u, next);
    const std::vector<goban::SweepCall> levels(Steps, bound.level);
    goban::MarchCall call;
    call.levels = levels.data();
    call.box = call.changing = bound.level.box;
    call.readable = goban::extended(
        call.box, goban::Extents{{ghosts, ghosts, ghosts}, {ghosts, ghosts, ghosts}});
    goban::cuda::launch_march_as<F, Steps, Shape, Axis::x, P...>(call);
  }

  template <int Steps, MarchShape S>
  static const void* kernel() {
    using Shape = goban::cuda::KernelShape<F, Axis::x, P...>;
    constexpr int in = Shape::marching(), out = Shape::result(), n = Shape::width();
    if constexpr (Steps == 1) {
      return reinterpret_cast<const void*>(
          &goban::cuda::ring_kernel<F, n, S.rows, S.warps, S.ahead, S.blocks, Axis::x, in, out,
                                    P...>);
    } else {
      return reinterpret_cast<const void*>(
          &goban::cuda::steps_kernel<F, Steps, n, S.rows, S.warps, S.ahead, Axis::x, in, out,
                                     P...>);
    }
  }
  template <int Width, Block Each>
  static const void* sweep_kernel() {
    return reinterpret_cast<const void*>(
        &goban::cuda::sweep_kernel<F, Width, Each.rows, Each.planes, Axis::x, P...>);
  }

 private:
  static constexpr std::size_t count = sizeof...(P);
  struct Bound {
    goban::FieldBinding fields[count];
    double values[count] = {};
    goban::SweepCall level;

    Bound(const Functor& f, const T* u, T* next) {
      const Grid& g = f.grid_;
      for (std::size_t i = 0; i < count; ++i) {
        auto& field = fields[i];
        field.read = reinterpret_cast<const std::byte*>(u + static_cast<Index>(i) * f.component_);
        if (i == count - 1) field.write = reinterpret_cast<std::byte*>(next);
        field.stride = {1, g.pitch, g.plane};
        field.component_stride = f.component_;
        field.clip = goban::Box{{0, 0, 0}, {g.nx, g.ny, g.nz}};
      }
      level.functor = &f.functor_;
      level.fields = fields;
      level.values = values;
      level.box = goban::Box{{0, 0, 0}, {g.nx, g.ny, g.nz}};
    }
    Bound(const Bound&) = delete;
  };

  F functor_;
  Grid grid_;
  Index component_;
};

template <class T, class F, class... P>
class Variants {
 public:
  Variants(KernelJob<T>& job, const F& functor)
      : job_(job), functor_(functor, job.grid(), job.component()) {
    job.reference = [f = functor_](const T* u, T* next) {
      f.template sweep<1, Block{}>(u, next, {128, 1, 1});
    };
  }

  void sweep() {
    job_.variants_.push_back({shape("goban sweep ", each.rows, each.planes), 1,
                              Mine::template sweep_kernel<width, each>(),
                              [f = functor_](T* u, T* next) {
                                f.template sweep<width, each>(u, next, {32, 8, 1});
                              }});
  }
  template <int Steps, MarchShape S>
  void march() {
    job_.variants_.push_back(
        {"T=" + std::to_string(Steps) + shape(" goban ", S.rows, S.warps) + "+" +
             std::to_string(S.ahead) + " b" + std::to_string(S.blocks),
         Steps, Mine::template kernel<Steps, S>(),
         [f = functor_](T* u, T* next) { f.template march<Steps, S>(u, next); }});
  }
  void twin(const std::string& label, int steps, const void* kernel,
            std::function<void(T*, T*)> run) {
    job_.variants_.push_back({label, steps, kernel, run});
  }

 private:
  using Mine = Functor<F, T, P...>;
  static constexpr int width = goban::cuda::KernelShape<F, Axis::x, P...>::width();
  static constexpr Block each = goban::cuda::KernelShape<F, Axis::x, P...>::blocks()[1];
  KernelJob<T>& job_;
  Mine functor_;
};

template <class T>
void add_heat7(KernelJob<T>& job) {
  const Grid grid = job.grid();
  const T r = T(0.1);
  Variants<T, goban::benchmarks::Heat7<T>, In<T>, Out<T>> v(job, {r});
  using Loads = Heat7<T, 4, 8, Neighbor::by_load>;
  v.sweep();
  v.twin("T=1 twin loads 4x8", 1, reinterpret_cast<const void*>(Loads::kernel),
         [=](T* u, T* next) { Loads::run(u, next, r, grid, nullptr); });
  v.template march<1, MarchShape{4, 8, 3, 2}>();
  v.template march<1, MarchShape{4, 8, 2, 2}>();
  v.template march<1, MarchShape{2, 8, 6, 2}>();
  v.template march<1, MarchShape{2, 8, 4, 3}>();
  v.template march<1, MarchShape{4, 4, 4, 3}>();
  v.template march<1, MarchShape{4, 16, 4, 1}>();
  v.template march<1, MarchShape{2, 16, 4, 2}>();
  const auto twin = [&]<int Steps, int Rows>() {
    using Twin = Heat7Async<T, Steps, Rows, 12, 1, 3, 1>;
    v.twin("T=" + std::to_string(Steps) + shape(" twin async ", Rows, 12), Steps,
           reinterpret_cast<const void*>(Twin::kernel),
           [=](T* u, T* next) { Twin::run(u, next, r, grid, nullptr); });
  };
  twin.template operator()<2, 4>();
  v.template march<2, MarchShape{4, 12, 3, 1}>();
  v.template march<2, MarchShape{4, 16, 3, 1}>();
  v.template march<2, MarchShape{3, 16, 4, 1}>();
  twin.template operator()<3, 4>();
  v.template march<3, MarchShape{4, 12, 3, 1}>();
  v.template march<3, MarchShape{3, 12, 3, 1}>();
  twin.template operator()<4, 3>();
  v.template march<4, MarchShape{3, 12, 3, 1}>();
  v.template march<4, MarchShape{3, 12, 4, 1}>();
}

void add_heat25(KernelJob<float>& job) {
  const Grid grid = job.grid();
  const Heat25Weights w = {{0.2f, 0.1f, 0.02f, 0.01f, 0.003f}};
  Variants<float, goban::benchmarks::Heat25, In<float>, Out<float>> v(
      job, {{0.2f, 0.1f, 0.02f, 0.01f, 0.003f}});
  using Twin = Heat25Streamed<1, 16, 3>;
  v.sweep();
  v.twin("T=1 twin ring 1x16+3", 1, reinterpret_cast<const void*>(Twin::kernel),
         [=](float* u, float* next) { Twin::run(u, next, w, grid, nullptr); });
  v.march<1, MarchShape{1, 16, 3, 1}>();
  v.march<1, MarchShape{1, 16, 8, 1}>();
  v.march<1, MarchShape{1, 20, 6, 1}>();
  v.march<1, MarchShape{2, 8, 6, 1}>();
  v.march<1, MarchShape{2, 12, 3, 1}>();
  v.march<1, MarchShape{2, 12, 5, 1}>();
  v.march<1, MarchShape{2, 14, 4, 1}>();
  v.march<1, MarchShape{3, 8, 5, 1}>();
  v.march<1, MarchShape{1, 10, 3, 2}>();
}

/// u and the conductances along x, y and z.
void add_conduct(KernelJob<float>& job) {
  using Conduct = goban::heat::Conduct;
  Variants<float, Conduct, In<float>, In<float>, In<float>, In<float>, Out<float>> v(job, {});
  v.sweep();
  v.march<1, MarchShape{4, 8, 3, 2}>();
  v.march<1, MarchShape{2, 8, 4, 2}>();
  v.march<2, MarchShape{4, 12, 3, 1}>();
  v.march<2, MarchShape{2, 16, 3, 1}>();
  v.march<3, MarchShape{2, 16, 3, 1}>();
  v.march<4, MarchShape{2, 12, 3, 1}>();
  v.march<4, MarchShape{2, 16, 3, 1}>();
}

Jobs all_jobs(bool is_quick) {
  Jobs jobs;
  const auto add = [&]<class T>(const char* name, Size size, int components, double bytes,
                                auto fill_in) {
    const bool is_timed = size.nx % 512 == 0;
    jobs.push_back([=]() -> std::unique_ptr<Job> {
      auto job =
          std::make_unique<KernelJob<T>>(name, size, components, bytes, Content::numbers, is_timed);
      fill_in(*job);
      return job;
    });
  };
  std::vector<Size> sizes = {{203, 101, 57}, {518, 130, 33}, {512, 512, 512}};
  if (!is_quick) sizes.push_back({1024, 1024, 1024});
  for (const Size size : sizes) {
    add.template operator()<float>("heat7 fp32", size, 1, 8, [](auto& job) { add_heat7(job); });
    add.template operator()<double>("heat7 fp64", size, 1, 16, [](auto& job) { add_heat7(job); });
    add.template operator()<float>("heat25 fp32", size, 1, 8, [](auto& job) { add_heat25(job); });
    add.template operator()<float>("conduct fp32", size, 4, 20,
                                   [](auto& job) { add_conduct(job); });
  }
  return jobs;
}

}  // namespace

int main(int argc, char** argv) { return measure_jobs(argc, argv, &all_jobs); }
