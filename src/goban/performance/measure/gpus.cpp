#include "goban/performance/measure/gpus.hpp"

#if GOBAN_HAVE_CUDA
#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/backend/cuda/compiled/kernel_files.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/backend/cuda/executor.hpp"
#include "goban/backend/cuda/transfer/links.hpp"
#endif

namespace goban {

#if GOBAN_HAVE_CUDA

GpuSoftware gpu_software() {
  GpuSoftware software;
  if (const int version = cuda::driver_version(); version > 0) {
    software.driver = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  }
  software.driver_refusal = cuda::driver_refusal();
  software.compiler_refusal = cuda::nvrtc_refusal();
  if (software.compiler_refusal.empty()) {
    software.compiler = "NVRTC " + cuda::nvrtc_version() + " (" + cuda::nvrtc_file().string() + ")";
  }
  software.kernel_folder = cuda::kernel_cache_folder().string();
  return software;
}

CompiledKernels compiled_kernels() {
  const auto [compiled, loaded, seconds] = cuda::kernel_statistics();
  return {compiled, loaded, seconds};
}

std::vector<Gpu> gpus() {
  std::vector<Gpu> all;
  for (const cuda::DeviceInfo& device : cuda::devices()) {
    all.push_back({device.number, device.name, device.multiprocessors,
                   static_cast<Index>(device.memory), static_cast<Index>(device.free_memory),
                   device.bus});
  }
  return all;
}

GpuSpeed measure_gpu(int number) {
  const cuda::DeviceSpeed speed = cuda::measure_device(number);
  return {speed.copy_bandwidth, speed.to_host, speed.from_host, speed.launch};
}

GpuLink measure_link(int from, int to) {
  const cuda::Link link = cuda::measure_link(from, to);
  return {link.is_direct, link.bandwidth, link.latency};
}

#else

GpuSoftware gpu_software() { return {}; }
CompiledKernels compiled_kernels() { return {}; }
std::vector<Gpu> gpus() { return {}; }
GpuSpeed measure_gpu(int) { return {}; }
GpuLink measure_link(int, int) { return {}; }

#endif

}  // namespace goban
