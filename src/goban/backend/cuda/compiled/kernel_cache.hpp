#pragma once
// Compiles kernels when they are first asked for, or loads what an earlier run has compiled.

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// The text of a kernel. It includes nothing but kernel_texts(), by their names. Kernels with the
/// same text and options are compiled and loaded together.
struct KernelSource {
  std::string text;
  std::string entry;                 ///< the name of its `extern "C" __global__` function
  std::vector<std::string> options;  ///< options for NVRTC besides common_compile_options
};

/// A kernel loaded on one device. It lives as long as the program.
class Kernel {
 public:
  Kernel(int device, CUfunction function);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  CUfunction function() const { return function_; }
  int device() const { return device_; }
  bool is_dependent() const { return is_dependent_; }
  /// Returns how many blocks a multiprocessor holds at once.
  int blocks_at_once(int threads, std::size_t shared_bytes) const;
  /// Must be called before launches with more than 48 KiB of shared memory.
  void allow_shared_bytes(std::size_t bytes) const;
  /// Sets the share of a multiprocessor's memory, in percent, that is used as shared memory; the
  /// rest is first-level cache.
  void prefer_shared_memory(int percent) const;

 private:
  int device_;
  CUfunction function_;
  bool is_dependent_;  ///< the device can launch it while the kernel before it still runs
  mutable std::atomic<std::size_t> allowed_{48u << 10};
  mutable std::atomic<int> preferred_{-1};  ///< percent; -1 if nothing was set
};

/// Returns a kernel loaded on a device. Several threads may call it. Throws an Error
/// (ExitCode::resources) if there is no compiler (see nvrtc_refusal()) or compiling fails.
const Kernel& kernel(int device, const KernelSource& source);

/// Compiles, in parallel, those kernels that are not on disk yet, for GPUs of an architecture (90,
/// say). Needs no GPU. Its threads have ended when it returns. Throws the errors of kernel().
void prepare(int capability, const std::vector<KernelSource>& sources);
/// Does the same for a device and loads the kernels there.
void prepare_on(int device, const std::vector<KernelSource>& sources);

/// What this process has compiled and loaded so far.
struct KernelStatistics {
  /// Kernels compiled by NVRTC, and kernels loaded from files of earlier runs or other processes.
  int compiled = 0, loaded = 0;
  double seconds = 0;  ///< seconds in which something was compiled or waited for
};
KernelStatistics kernel_statistics();

/// A kernel that is not made from a functor. It is looked up once for each device.
class OwnKernel {
 public:
  OwnKernel(std::string text, std::string entry) : source_{std::move(text), std::move(entry), {}} {}
  OwnKernel(const OwnKernel&) = delete;
  OwnKernel& operator=(const OwnKernel&) = delete;
  /// Returns the kernel on the current device.
  const Kernel& here() const;
  const KernelSource& source() const { return source_; }

 private:
  KernelSource source_;
  mutable std::array<std::atomic<const Kernel*>, most_devices> found_{};
};

}  // namespace goban::cuda
