#pragma once
// Names for stretches of a thread's time that profilers show (NVTX: Nsight Systems).

#include <string>

namespace goban {

/// A range that profilers show, from when it is made until it goes. It costs next to nothing while
/// no profiler looks.
class ProfilerRange {
 public:
  explicit ProfilerRange(const std::string& name);
  ~ProfilerRange();
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace goban
