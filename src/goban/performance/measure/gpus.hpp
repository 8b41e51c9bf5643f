#pragma once
// The GPUs of this machine and how fast they, and the links between them, are. Without CUDA there
// are none.

#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

struct Gpu {
  int number = 0;
  std::string name;
  int multiprocessors = 0;
  Index memory = 0, memory_free = 0;  ///< bytes
  std::string bus;                    ///< its place in the machine, as "0000:1b:00.0"
};

/// Rates of one GPU, bytes per second and seconds; 0 where its memory left no room to measure.
struct GpuSpeed {
  double copy_bandwidth = 0;          ///< within its memory, bytes read and written counted
  double to_host = 0, from_host = 0;  ///< pinned memory of the host
  double launch = 0;                  ///< seconds a kernel takes, many in a row; 0: no compiler
};

/// From one GPU's memory to another's, in the order of the pair.
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
GpuSoftware gpu_software();

/// What this process has compiled for GPUs so far, or loaded as others had.
struct CompiledKernels {
  int compiled = 0, loaded = 0;
  double seconds = 0;  ///< during which it did
};
CompiledKernels compiled_kernels();

/// None without a driver.
std::vector<Gpu> gpus();
/// Takes about 100 ms and up to 4 GiB of the GPU's free memory. Error (ExitCode::resources): the
/// GPU failed.
GpuSpeed measure_gpu(int number);
/// Some milliseconds and 64 MiB on both. Error: likewise.
GpuLink measure_link(int from, int to);

}  // namespace goban
