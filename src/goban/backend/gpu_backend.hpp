#pragma once
// The back end for GPUs is a library of its own, libgoban-cuda.so, which is loaded, and built where
// ./goban has started the program, once a GPU is wanted.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

class Executor;

struct Gpu {
  int number = 0;
  std::string name;
  int multiprocessors = 0;
  Index memory = 0, memory_free = 0;  ///< bytes
  std::string bus;                    ///< its place in the machine, as "0000:1b:00.0"
};

/// Rates of one GPU, bytes per second and seconds; 0 where its memory left no room to measure.
struct GpuSpeed {
  /// Bytes per second within its memory, read and written bytes counted.
  double copy_bandwidth = 0;
  double to_host = 0, from_host = 0;  ///< pinned memory of the host
  double launch = 0;                  ///< seconds a kernel takes, many in a row; 0: no compiler
};

/// What was measured from one GPU's memory to another's, in the order of the pair.
struct GpuLink {
  bool is_direct = false;  ///< the two reach each other's memory; otherwise through the host
  double bandwidth = 0;    ///< bytes per second, pieces of 64 MiB
  double latency = 0;      ///< seconds a copy of 8 bytes takes
};

/// What is needed to compute on GPUs and is no part of goban.
struct GpuSoftware {
  std::string driver;            ///< the CUDA it is of, "13.0"; empty: there is none
  std::string driver_refusal;    ///< why it cannot be used; empty: it can
  std::string compiler;          ///< "NVRTC 13.0" and its file; empty: there is none
  std::string compiler_refusal;  ///< why not, and what to install
  std::string kernel_folder;     ///< where what it makes is kept
};

/// What this process has compiled for GPUs so far, or loaded as others had.
struct CompiledKernels {
  int compiled = 0, loaded = 0;
  double seconds = 0;  ///< during which it did
};

/// Splits [0, n) among threads of the host.
using HostParallel = std::function<void(Index n, const std::function<void(Index, Index)>& work)>;

class GpuBackend {
 public:
  virtual ~GpuBackend() = default;
  virtual GpuSoftware software() = 0;
  virtual CompiledKernels compiled_kernels() = 0;
  /// GPUs of this machine; 0 without a driver that can be used.
  virtual int count() = 0;
  virtual std::vector<Gpu> gpus() = 0;
  /// Takes about 100 ms and up to 4 GiB of the GPU's free memory. Error (ExitCode::resources): the
  /// GPU failed.
  virtual GpuSpeed measure(int number) = 0;
  /// Measures for some milliseconds, with 64 MiB on both; lets both reach each other's memory if
  /// they can, as executors do, and leaves it so. Error: likewise.
  virtual GpuLink measure_link(int from, int to) = 0;
  /// Makes one executor a GPU, which reach each other's memory where the machine lets them.
  /// `parallel` does the host's work on their data, `launches` is that of Settings. Error
  /// (ExitCode::resources): no such device.
  virtual std::vector<std::shared_ptr<Executor>> make_executors(const std::vector<int>& numbers,
                                                                const HostParallel& parallel,
                                                                const std::string& launches) = 0;
  /// From now on the process has so many GPUs of an architecture (90) that compute nothing, and no
  /// others; see Runtime::rehearse_gpus.
  virtual void rehearse(int capability, int count) = 0;
  virtual bool is_rehearsal() = 0;
};

/// What the library defines as `goban_gpu_module`.
struct GpuModule {
  /// Names the interface of the headers it was compiled with; see load_own_module().
  const char* interface;
  GpuBackend& (*backend)();
};

/// Loads it. Error (ExitCode::resources): it is not built, or from other headers.
GpuBackend& gpu_backend();
/// The backend, or null where it is not loaded yet and the machine has no driver for GPUs, or goban
/// is built without it. Error: likewise.
GpuBackend* gpu_backend_of_machine();
/// The backend; null where it is not loaded yet.
GpuBackend* loaded_gpu_backend();

}  // namespace goban
