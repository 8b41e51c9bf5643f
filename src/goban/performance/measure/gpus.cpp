#include "goban/performance/measure/gpus.hpp"

#if GOBAN_HAVE_CUDA
#include "goban/backend/cuda/executor.hpp"
#include "goban/backend/cuda/links.hpp"
#endif

namespace goban {

#if GOBAN_HAVE_CUDA

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

std::vector<Gpu> gpus() { return {}; }
GpuSpeed measure_gpu(int) { return {}; }
GpuLink measure_link(int, int) { return {}; }

#endif

}  // namespace goban
