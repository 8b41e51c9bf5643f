#pragma once
// Loads the backend for GPUs, a separate library (libgoban-cuda.so), when a GPU is wanted. Where
// ./goban has started the program it is built first if necessary.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

class Executor;

/// One GPU of this machine.
struct Gpu {
  int number = 0;
  std::string name;
  int multiprocessors = 0;
  Index memory = 0, memory_free = 0;  ///< bytes
  std::string bus = {};               ///< its PCI address, as "0000:1b:00.0"
};

/// The measured rates of one GPU; 0 where there was no memory left to measure with.
struct GpuSpeed {
  /// Bytes per second of a copy within its memory; read and written bytes both count.
  double copy_bandwidth = 0;
  double to_host = 0, from_host = 0;  ///< bytes per second to and from pinned memory of the host
  double launch = 0;  ///< seconds per launch of a kernel, many in a row; 0 without a compiler
};

/// The measured link from one GPU's memory to another's.
struct GpuLink {
  /// The two access each other's memory; otherwise copies go through the host.
  bool is_direct = false;
  double bandwidth = 0;  ///< bytes per second, for pieces of 64 MiB
  double latency = 0;    ///< seconds for a copy of 8 bytes
};

/// The software that computing on GPUs needs and that is not part of goban.
struct GpuSoftware {
  std::string driver;            ///< the driver's CUDA version, "13.0"; empty if there is no driver
  std::string driver_refusal;    ///< why the driver cannot be used; empty if it can
  std::string compiler;          ///< "NVRTC 13.0" and its file; empty if there is none
  std::string compiler_refusal;  ///< why there is no compiler, and what to install
  std::string kernel_folder;     ///< the folder in which compiled kernels are kept
};

/// The kernels for GPUs that this process has compiled so far, or loaded because they had been
/// compiled before.
struct CompiledKernels {
  int compiled = 0, loaded = 0;
  double seconds = 0;  ///< seconds in which it did so
};

/// Splits [0, n) among threads of the host.
using HostParallel = std::function<void(Index n, const std::function<void(Index, Index)>& work)>;

/// The interface of the library. Runtime, doctor and calibration use it.
class GpuBackend {
 public:
  virtual ~GpuBackend() = default;
  virtual GpuSoftware software() = 0;
  virtual CompiledKernels compiled_kernels() = 0;
  /// Returns the number of GPUs of this machine; 0 without a driver that can be used.
  virtual int count() = 0;
  virtual std::vector<Gpu> gpus() = 0;
  /// Measures a GPU. Takes about 100 ms and up to 4 GiB of its free memory. Throws an Error
  /// (ExitCode::resources) if the GPU fails.
  virtual GpuSpeed measure(int number) = 0;
  /// Measures the link between two GPUs. Takes some milliseconds and 64 MiB on both. Lets both
  /// access each other's memory if they can, as executors do, and leaves it so. Throws the same
  /// error.
  virtual GpuLink measure_link(int from, int to) = 0;
  /// Makes one executor for each GPU. They access each other's memory where the machine allows it.
  /// `parallel` does the host's work on their data; `launches` is Settings::launches. Throws an
  /// Error (ExitCode::resources) if there is no such GPU.
  virtual std::vector<std::shared_ptr<Executor>> make_executors(const std::vector<int>& numbers,
                                                                const HostParallel& parallel,
                                                                const std::string& launches) = 0;
  /// From now on the process has `count` GPUs of an architecture (90, say) that compute nothing,
  /// and no others; see Runtime::rehearse_gpus().
  virtual void rehearse(int capability, int count) = 0;
  virtual bool is_rehearsal() = 0;
};

/// What the library defines as `goban_gpu_module`.
struct GpuModule {
  /// The interface of the headers that the library was compiled with; see load_own_module().
  const char* interface;
  GpuBackend& (*backend)();
};

/// Loads the library and returns its backend. Throws an Error (ExitCode::resources) if it is not
/// built, or was built from other headers.
GpuBackend& gpu_backend();
/// Returns the backend; null if it is not loaded yet and the machine has no driver for GPUs or
/// goban is built without it. Throws the same error.
GpuBackend* gpu_backend_of_machine();
/// Returns the backend; null if it is not loaded yet.
GpuBackend* loaded_gpu_backend();
/// Returns whether GPUs are only rehearsed (see Runtime::rehearse_gpus()), so that they compute no
/// values.
bool are_gpus_rehearsed();

}  // namespace goban
