#pragma once
// NVIDIA GPUs as executors, one each: own memory, a queue for sweeps and one for halos.

#include <memory>
#include <string>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban {

namespace cuda {

/// Splits [0, n) among threads of the host.
using HostParallel = std::function<void(Index n, const std::function<void(Index, Index)>& work)>;

/// What a GPU is, for reports.
struct DeviceInfo {
  int number = 0;
  std::string name;
  int multiprocessors = 0;
  std::size_t memory = 0, free_memory = 0;  ///< bytes
  std::string bus;                          ///< as "0000:1b:00.0"
};

/// GPUs of this machine; 0 without a driver.
int device_count();
std::vector<DeviceInfo> devices();

/// One executor a GPU, which reach each other's memory where the machine lets them. `parallel`
/// does the host's work on their data, `launches` is that of Settings. Error (ExitCode::resources):
/// no such device.
std::vector<std::shared_ptr<Executor>> make_executors(const std::vector<int>& numbers,
                                                      const HostParallel& parallel,
                                                      const std::string& launches);

}  // namespace cuda
}  // namespace goban
