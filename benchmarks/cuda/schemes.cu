// Measures every CUDA twin in every shape worth trying, and checks its bits. Alone, without goban,
// by benchmarks/cuda/build_twins or
//   nvcc -std=c++20 -O3 -arch=sm_90 -fmad=false -o schemes benchmarks/cuda/schemes.cu
//   ./schemes [--quick] [--json FILE] [FILTER]
// --quick leaves out 1024^3; FILTER is part of "name variant".

#include "measuring.cuh"
#include "twins/d3q19.cuh"
#include "twins/heat25.cuh"
#include "twins/heat7.cuh"
#include "twins/heat7_temporal.cuh"
#include "twins/heat7_temporal_async.cuh"
#include "twins/life.cuh"

namespace {

// ---- The kernels

template <class T>
void add_heat7(KernelJob<T>& job) {
  const Grid grid = job.grid();
  const T r = T(0.1);
  const auto add = [&]<int Planes, int Warps, Neighbor In_x>() {
    using Twin = Heat7<T, Planes, Warps, In_x>;
    job.variants_.push_back(
        {shape(In_x == Neighbor::by_load ? "loads " : "shuffles ", Planes, Warps), 1,
         reinterpret_cast<const void*>(Twin::kernel),
         [=](T* u, T* next) { Twin::run(u, next, r, grid, nullptr); }});
  };
  add.template operator()<2, 8, Neighbor::by_shuffle>();
  add.template operator()<4, 4, Neighbor::by_shuffle>();
  add.template operator()<4, 8, Neighbor::by_shuffle>();
  add.template operator()<4, 16, Neighbor::by_shuffle>();
  add.template operator()<8, 8, Neighbor::by_shuffle>();
  add.template operator()<4, 8, Neighbor::by_load>();
  add.template operator()<8, 8, Neighbor::by_load>();
  job.reference = [=](const T* u, T* next) {
    launch(&reference::heat7<T>, reference::cells_of(grid), nullptr, u, next, r, grid);
  };
}

template <class T>
void add_heat7_passes(KernelJob<T>& job) {
  const Grid grid = job.grid();
  const T r = T(0.1);
  const auto add_twin = [&]<class Twin>(const std::string& label) {
    job.variants_.push_back({"T=" + std::to_string(Twin::steps) + " " + label, Twin::steps,
                             reinterpret_cast<const void*>(Twin::kernel),
                             [=](T* u, T* next) { Twin::run(u, next, r, grid, nullptr); }});
  };
  const auto barrier = [&]<int Steps, int Rows, int Warps>() {
    add_twin.template operator()<Heat7Temporal<T, Steps, Rows, Warps>>(
        shape("block barrier ", Rows, Warps));
  };
  const auto async = [&]<int Steps, int Rows, int Warps, int Cluster, int Ahead, int Unroll>() {
    add_twin.template operator()<Heat7Async<T, Steps, Rows, Warps, Cluster, Ahead, Unroll>>(
        shape("async ", Rows, Warps, Cluster) + " +" + std::to_string(Ahead) + " u" +
        std::to_string(Unroll));
  };
  barrier.template operator()<2, 3, 16>();
  barrier.template operator()<3, 2, 16>();
  barrier.template operator()<3, 3, 12>();
  barrier.template operator()<4, 3, 12>();
  async.template operator()<2, 4, 12, 1, 3, 3>();
  async.template operator()<3, 4, 12, 1, 3, 3>();
  async.template operator()<3, 4, 12, 4, 3, 3>();
  async.template operator()<4, 3, 12, 1, 3, 3>();
  async.template operator()<4, 3, 12, 2, 3, 3>();
  async.template operator()<4, 3, 12, 4, 3, 3>();
  async.template operator()<4, 5, 8, 1, 3, 3>();
  if constexpr (sizeof(T) == 4) {
    async.template operator()<3, 4, 12, 2, 3, 3>();
    async.template operator()<3, 6, 8, 1, 3, 3>();
    async.template operator()<3, 6, 8, 4, 3, 3>();
    async.template operator()<4, 3, 12, 1, 2, 3>();
    async.template operator()<4, 3, 12, 1, 4, 3>();
    async.template operator()<4, 3, 12, 1, 3, 1>();
    async.template operator()<4, 3, 12, 1, 3, 9>();
    async.template operator()<4, 3, 12, 4, 3, 1>();
    async.template operator()<4, 4, 8, 2, 3, 3>();
    async.template operator()<4, 4, 8, 4, 3, 3>();
    async.template operator()<3, 5, 8, 4, 3, 3>();
    async.template operator()<4, 5, 8, 4, 3, 3>();
    async.template operator()<4, 2, 16, 4, 3, 3>();
    async.template operator()<5, 4, 8, 4, 3, 3>();
    async.template operator()<6, 2, 12, 4, 3, 3>();
    async.template operator()<6, 3, 8, 8, 3, 3>();
    async.template operator()<8, 2, 8, 8, 3, 3>();
  }
  std::stable_sort(job.variants_.begin(), job.variants_.end(),
                   [](const auto& a, const auto& b) { return a.steps < b.steps; });
  job.reference = [=](const T* u, T* next) {
    launch(&reference::heat7<T>, reference::cells_of(grid), nullptr, u, next, r, grid);
  };
}

void add_heat25(KernelJob<float>& job) {
  const Grid grid = job.grid();
  const Heat25Weights w = {{0.2f, 0.1f, 0.02f, 0.01f, 0.003f}};
  const auto add = [&]<class Twin>(const std::string& label) {
    job.variants_.push_back({label, 1, reinterpret_cast<const void*>(Twin::kernel),
                             [=](float* u, float* next) { Twin::run(u, next, w, grid, nullptr); }});
  };
  add.template operator()<Heat25Cached<1, 8, 32>>("cached 1x8x32");
  add.template operator()<Heat25Cached<1, 8, 64>>("cached 1x8x64");
  add.template operator()<Heat25Cached<2, 8, 64>>("cached 2x8x64");
  add.template operator()<Heat25Streamed<1, 16, 3>>("ring 1x16+3");
  add.template operator()<Heat25Streamed<2, 8, 1>>("ring 2x8+1");
  add.template operator()<Heat25Streamed<2, 8, 3>>("ring 2x8+3");
  add.template operator()<Heat25Streamed<2, 16, 3>>("ring 2x16+3");
  job.reference = [=](const float* u, float* next) {
    launch(&reference::heat25<float>, reference::cells_of(grid), nullptr, u, next, w, grid);
  };
}

void add_life(KernelJob<std::uint8_t>& job) {
  const Grid grid = job.grid();
  const LifeRule rule;
  const auto add = [&]<int Rows, int Planes, int Warps>() {
    using Twin = Life<Rows, Planes, Warps>;
    job.variants_.push_back(
        {shape("", Rows, Planes, Warps), 1, reinterpret_cast<const void*>(Twin::kernel),
         [=](std::uint8_t* u, std::uint8_t* next) { Twin::run(u, next, rule, grid, nullptr); }});
  };
  add.template operator()<1, 8, 8>();
  add.template operator()<2, 4, 8>();
  add.template operator()<2, 8, 4>();
  add.template operator()<2, 8, 8>();
  add.template operator()<2, 16, 8>();
  add.template operator()<4, 4, 8>();
  add.template operator()<4, 8, 4>();
  job.reference = [=](const std::uint8_t* u, std::uint8_t* next) {
    launch(&reference::life<std::uint8_t>, reference::cells_of(grid), nullptr, u, next, rule, grid);
  };
}

template <class T>
void add_d3q19(KernelJob<T>& job) {
  const Grid grid = job.grid();
  const Index component = job.component();
  const float omega = 1.2f;
  const auto add = [&]<int N, int Threads>() {
    using Twin = D3q19<T, N, Threads>;
    job.variants_.push_back(
        {shape("two lattices ", N, Threads), 1, reinterpret_cast<const void*>(Twin::kernel),
         [=](T* u, T* next) { Twin::run(u, next, component, omega, grid, nullptr); }});
  };
  const auto add_in_place = [&]<int N, int Threads>() {
    using Twin = D3q19InPlace<T, N, Threads>;
    job.variants_.push_back({shape("in place ", N, Threads), 2,
                             reinterpret_cast<const void*>(Twin::kernel),
                             [=](T*, T* u) {
                               Twin::run(u, component, omega, grid, 0, nullptr);
                               Twin::run(u, component, omega, grid, 1, nullptr);
                             },
                             true});
  };
  if constexpr (sizeof(T) == 4) {
    add.template operator()<1, 128>();
    add.template operator()<1, 256>();
    add.template operator()<1, 512>();
    add_in_place.template operator()<1, 128>();
    add_in_place.template operator()<1, 256>();
    add_in_place.template operator()<1, 512>();
  } else {
    add.template operator()<1, 256>();
    add.template operator()<2, 64>();
    add.template operator()<2, 256>();
    add_in_place.template operator()<1, 256>();
    add_in_place.template operator()<2, 64>();
  }
  add.template operator()<4, 64>();
  add.template operator()<4, 128>();
  if constexpr (sizeof(T) == 4) {
    add.template operator()<2, 128>();
    add_in_place.template operator()<2, 128>();
  } else {
    add.template operator()<2, 128>();
    add_in_place.template operator()<2, 128>();
  }
  std::stable_sort(job.variants_.begin(), job.variants_.end(),
                   [](const auto& a, const auto& b) { return a.steps < b.steps; });
  job.reference = [=](const T* u, T* next) {
    launch(&reference::d3q19<T>, reference::cells_of(grid), nullptr, u, next, component, omega,
           grid);
  };
}

Jobs all_jobs(bool is_quick) {
  Jobs jobs;
  const auto add = [&]<class T>(const char* name, Size size, int components, double bytes,
                                Content content, auto fill_in) {
    const bool is_timed = size.nx >= 512;
    jobs.push_back([=]() -> std::unique_ptr<Job> {
      auto job = std::make_unique<KernelJob<T>>(name, size, components, bytes, content, is_timed);
      fill_in(*job);
      return job;
    });
  };
  std::vector<Size> sizes = {{203, 101, 57}, {512, 512, 512}};
  for (const Size size : sizes) {
    add.template operator()<float>("d3q19 fp32", size, 19, 152, Content::populations,
                                   [](auto& job) { add_d3q19(job); });
    add.template operator()<__half>("d3q19 fp16", size, 19, 76, Content::populations,
                                    [](auto& job) { add_d3q19(job); });
  }
  if (!is_quick) sizes.push_back({1024, 1024, 1024});
  for (const Size size : sizes) {
    add.template operator()<float>("heat7 fp32", size, 1, 8, Content::numbers,
                                   [](auto& job) { add_heat7(job); });
    add.template operator()<double>("heat7 fp64", size, 1, 16, Content::numbers,
                                    [](auto& job) { add_heat7(job); });
    add.template operator()<float>("heat25 fp32", size, 1, 8, Content::numbers,
                                   [](auto& job) { add_heat25(job); });
    add.template operator()<std::uint8_t>("life", size, 1, 2, Content::life,
                                          [](auto& job) { add_life(job); });
  }
  sizes.insert(sizes.begin(), {204, 403, 57});  // tall enough for tiles of clusters
  for (const Size size : sizes) {
    add.template operator()<float>("heat7 pass fp32", size, 1, 8, Content::numbers,
                                   [](auto& job) { add_heat7_passes(job); });
    add.template operator()<double>("heat7 pass fp64", size, 1, 16, Content::numbers,
                                    [](auto& job) { add_heat7_passes(job); });
  }
  return jobs;
}

}  // namespace

int main(int argc, char** argv) { return measure_jobs(argc, argv, &all_jobs); }
