#include "goban/backend/profiler_range.hpp"

#if GOBAN_HAVE_CUDA
#include <nvtx3/nvToolsExt.h>
#endif

namespace goban {

#if GOBAN_HAVE_CUDA
ProfilerRange::ProfilerRange(const std::string& name) { nvtxRangePushA(name.c_str()); }
ProfilerRange::~ProfilerRange() { nvtxRangePop(); }
#else
ProfilerRange::ProfilerRange(const std::string&) {}
ProfilerRange::~ProfilerRange() = default;
#endif

}  // namespace goban
