#pragma once
// Fills ghost cells by custom boundary conditions. The host evaluates them when a queue has come
// this far: cells beside the boundary are copied to the host, and ghosts are copied back.

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// The custom fills of one device. Their memory lives as long as this object, because graphs keep
/// using it.
class HostRules {
 public:
  HostRules() = default;
  ~HostRules();
  HostRules(const HostRules&) = delete;
  HostRules& operator=(const HostRules&) = delete;

  /// Queues a fill. Its recorded nodes can be changed.
  void run(const FillTask& task, CUstream stream);
  /// Rethrows what a rule has thrown. Must be called after its queue has been waited for.
  void rethrow();

 private:
  friend class RuleOnHost;
  std::byte* scratch(CUstream stream, std::size_t bytes);

  struct Scratch {
    std::byte* memory = nullptr;
    std::size_t bytes = 0;
  };
  std::map<CUstream, Scratch> scratch_;
  std::vector<std::byte*> all_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace goban::cuda
