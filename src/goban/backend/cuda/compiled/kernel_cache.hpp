#pragma once
// Kernels: texts that are compiled when they are first asked for, here or by an earlier run.

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// A program for GPUs that includes nothing but kernel_texts(), by their names. Several kernels of
/// one text and options are compiled and loaded as one.
struct KernelSource {
  std::string text;
  std::string entry;                 ///< name of an `extern "C" __global__` function
  std::vector<std::string> options;  ///< options for NVRTC, beside those of goban
};

/// A kernel on one device; lives as long as the program.
class Kernel {
 public:
  Kernel(int device, CUfunction function);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  CUfunction function() const { return function_; }
  int device() const { return device_; }
  bool is_dependent() const { return is_dependent_; }
  /// Blocks that a multiprocessor holds at once.
  int blocks_at_once(int threads, std::size_t shared_bytes) const;
  /// Before launches with more than 48 KiB.
  void allow_shared_bytes(std::size_t bytes) const;
  /// So much, in percent, of what a multiprocessor can have as shared memory: the rest is
  /// first-level cache.
  void prefer_shared_memory(int percent) const;

 private:
  int device_;
  CUfunction function_;
  bool is_dependent_;  ///< launches of this device can
  mutable std::atomic<std::size_t> allowed_{48u << 10};
  mutable std::atomic<int> preferred_{-1};  ///< percent
};

/// Loaded on that device. Threads may ask side by side. Error (ExitCode::resources): there is no
/// compiler, see nvrtc_refusal(), or it fails.
const Kernel& kernel(int device, const KernelSource& source);

/// Compiles for GPUs of an architecture (90), side by side, what is not kept yet; needs no GPU. Its
/// threads have ended when it returns. Error: as kernel().
void prepare(int capability, const std::vector<KernelSource>& sources);
/// The same for a device, and loads them there.
void prepare_on(int device, const std::vector<KernelSource>& sources);

/// What this process has done about kernels so far.
struct KernelStatistics {
  /// Compiled by NVRTC; loaded from files of earlier runs or other processes.
  int compiled = 0, loaded = 0;
  double seconds = 0;  ///< during which something was compiled or waited for
};
KernelStatistics kernel_statistics();

/// A kernel of goban's own, found once for each device.
class OwnKernel {
 public:
  OwnKernel(std::string text, std::string entry) : source_{std::move(text), std::move(entry), {}} {}
  OwnKernel(const OwnKernel&) = delete;
  OwnKernel& operator=(const OwnKernel&) = delete;
  /// The kernel on the current device.
  const Kernel& here() const;
  const KernelSource& source() const { return source_; }

 private:
  KernelSource source_;
  mutable std::array<std::atomic<const Kernel*>, most_devices> found_{};
};

}  // namespace goban::cuda
