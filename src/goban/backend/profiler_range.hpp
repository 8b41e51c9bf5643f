#pragma once
// Names parts of a thread's time for profilers (NVTX: Nsight Systems).

#include <string>

namespace goban {

/// A range that profilers show, from its construction to its destruction. It costs next to nothing
/// while no profiler is attached.
class ProfilerRange {
 public:
  explicit ProfilerRange(const std::string& name);
  ~ProfilerRange();
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace goban
