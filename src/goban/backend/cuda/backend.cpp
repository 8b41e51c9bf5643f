// Implements GpuBackend for GPUs of NVIDIA.

#include "goban/backend/compiled/kernel_files.hpp"
#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/backend/cuda/driver/rehearsal.hpp"
#include "goban/backend/cuda/executor.hpp"
#include "goban/backend/cuda/transfer/links.hpp"

namespace goban::cuda {
namespace {

class CudaBackend final : public GpuBackend {
 public:
  GpuSoftware software() override {
    GpuSoftware software;
    if (const int version = driver_version(); version > 0) {
      software.driver = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    }
    software.driver_refusal = driver_refusal();
    software.compiler_refusal = nvrtc_refusal();
    if (software.compiler_refusal.empty()) {
      software.compiler = "NVRTC " + nvrtc_version() + " (" + nvrtc_file().string() + ")";
    }
    software.kernel_folder = kernel_cache_folder().string();
    return software;
  }
  CompiledKernels compiled_kernels() override {
    const auto [compiled, loaded, seconds] = kernel_statistics();
    return {compiled, loaded, seconds};
  }
  int count() override { return device_count(); }
  std::vector<Gpu> gpus() override { return devices(); }
  GpuSpeed measure(int number) override { return measure_device(number); }
  GpuLink measure_link(int from, int to) override { return cuda::measure_link(from, to); }
  std::vector<std::shared_ptr<Executor>> make_executors(const std::vector<int>& numbers,
                                                        const HostParallel& parallel,
                                                        const std::string& launches) override {
    return cuda::make_executors(numbers, parallel, launches);
  }
  void rehearse(int capability, int count) override { cuda::rehearse(capability, count); }
  bool is_rehearsal() override { return cuda::is_rehearsal(); }
};

}  // namespace

GpuBackend& backend() {
  static CudaBackend one;
  return one;
}

}  // namespace goban::cuda
