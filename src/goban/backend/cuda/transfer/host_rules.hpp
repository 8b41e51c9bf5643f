#pragma once
// Ghost cells by rules of the user's own, which the host evaluates when a queue has come that far:
// cells beside the boundary come to the host and ghosts go back.

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// The rules of one device. Their memory lives as long as this: graphs go on using it.
class HostRules {
 public:
  HostRules() = default;
  ~HostRules();
  HostRules(const HostRules&) = delete;
  HostRules& operator=(const HostRules&) = delete;

  /// Queues a fill; its recorded nodes can be changed.
  void run(const FillTask& task, CUstream stream);
  /// What a rule has thrown, after its queue has been waited for.
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
