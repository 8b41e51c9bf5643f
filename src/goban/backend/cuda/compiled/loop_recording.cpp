#include "goban/backend/cuda/compiled/loop_recording.hpp"

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"
#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/backend/profiler_range.hpp"
#include "goban/base/error.hpp"

namespace goban::cuda {

bool nvrtc_knows_loops() {
  const std::string& version = nvrtc_version();
  const int major = std::atoi(version.c_str());
  const std::size_t dot = version.find('.');
  const int minor = dot == std::string::npos ? 0 : std::atoi(version.c_str() + dot + 1);
  return major > 12 || (major == 12 && minor >= 4);
}

bool has_device_loops() {
  const Driver& d = driver();
  return d.cuGraphConditionalHandleCreate && d.cuGraphAddNode && d.cuStreamBeginCaptureToGraph &&
         nvrtc_knows_loops();
}

LoopRecording::LoopRecording(int device, CUstream stream) : device_(device), stream_(stream) {
  constexpr const char* what = "recording a loop";
  check(driver().cuGraphCreate(&graph_, 0), what);
  const CUcontext context = context_of(device);
  check(driver().cuGraphConditionalHandleCreate(&loop_, graph_, context, 1,
                                                CU_GRAPH_COND_ASSIGN_DEFAULT),
        what);
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = loop_;
  params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  params.conditional.size = 1;
  params.conditional.ctx = context;
  CUgraphNode node = nullptr;
  check(driver().cuGraphAddNode(&node, graph_, nullptr, nullptr, 0, &params), what);
  check(driver().cuStreamBeginCaptureToGraph(stream, params.conditional.phGraph_out[0], nullptr,
                                             nullptr, 0, CU_STREAM_CAPTURE_MODE_RELAXED),
        what);
  is_capturing_ = true;
}

LoopRecording::~LoopRecording() {
  const OnDevice current(device_);
  if (is_capturing_) {
    CUgraph body = nullptr;
    driver().cuStreamEndCapture(stream_, &body);
  }
  driver().cuStreamSynchronize(stream_);
  if (executable_) driver().cuGraphExecDestroy(executable_);
  if (graph_) driver().cuGraphDestroy(graph_);
}

void LoopRecording::end(const LoopEnd& end) {
  launch(end_round_kernel().here(), {}, stream_, "ending a round", loop_, end.number,
         end.is_below ? 1 : 0, end.bound, end.rounds, end.most_rounds);
  CUgraph body = nullptr;
  is_capturing_ = false;
  check(driver().cuStreamEndCapture(stream_, &body), "recording a loop");
  check(driver().cuGraphInstantiate(&executable_, graph_, 0), "recording a loop");
}

void LoopRecording::replay() {
  const ProfilerRange range("recorded loop");
  const OnDevice current(device_);
  check(driver().cuGraphLaunch(executable_, stream_), "starting a loop");
}

void LoopRecording::begin_changes() { require(false, "bodies of loops are not changed"); }

}  // namespace goban::cuda
