#include "goban/backend/cuda/compiled/loop_recording.hpp"

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"
#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/backend/profiler_range.hpp"
#include "goban/base/error.hpp"

namespace goban::cuda {
namespace {

constexpr const char* recording = "recording a loop";

}  // namespace

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
         d.cuStreamGetCaptureInfo_v3 && nvrtc_knows_loops();
}

LoopRecording::LoopRecording(int device, CUstream stream) : device_(device), stream_(stream) {
  check(driver().cuGraphCreate(&graph_, 0), recording);
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

/// Captures what the queue gets into a body, after this node of it.
void LoopRecording::capture(CUgraph body, const CUgraphNode* after) {
  check(driver().cuStreamBeginCaptureToGraph(stream_, body, after, nullptr, after ? 1 : 0,
                                             CU_STREAM_CAPTURE_MODE_RELAXED),
        recording);
  is_capturing_ = true;
}

CUgraph LoopRecording::stop_capture() {
  CUgraph body = nullptr;
  is_capturing_ = false;
  check(driver().cuStreamEndCapture(stream_, &body), recording);
  return body;
}

void LoopRecording::begin(const LoopEnd* end) {
  const Driver& d = driver();
  if (!end) {
    require(open_.empty(), "loops within others end");
    open_.push_back({std::nullopt, graph_, 0, nullptr});
    return capture(graph_, nullptr);
  }
  const bool is_inner = !open_.empty();
  const CUgraph parent = is_inner ? open_.back().body : graph_;
  const CUcontext context = context_of(device_);
  Open loop{*end, nullptr, 0, nullptr};
  check(d.cuGraphConditionalHandleCreate(&loop.handle, parent, context, is_inner ? 0 : 1,
                                         CU_GRAPH_COND_ASSIGN_DEFAULT),
        recording);
  std::vector<CUgraphNode> before;
  if (is_inner) {
    launch(enter_loop_kernel().here(), {}, stream_, "entering a loop", loop.handle, end->number,
           end->is_below ? 1 : 0, end->bound, end->rounds, end->entered, end->missed, end->mark);
    CUstreamCaptureStatus status{};
    unsigned long long number = 0;
    const CUgraphNode* last = nullptr;
    const CUgraphEdgeData* edges = nullptr;
    std::size_t count = 0;
    check(d.cuStreamGetCaptureInfo_v3(stream_, &status, &number, nullptr, &last, &edges, &count),
          recording);
    before.assign(last, last + count);
    stop_capture();
  }
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = loop.handle;
  params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  params.conditional.size = 1;
  params.conditional.ctx = context;
  check(d.cuGraphAddNode(&loop.node, parent, before.data(), nullptr, before.size(), &params),
        recording);
  loop.body = params.conditional.phGraph_out[0];
  open_.push_back(loop);
  capture(loop.body, nullptr);
}

void LoopRecording::end() {
  const Open loop = open_.back();
  if (const auto& end = loop.end) {
    launch(end_round_kernel().here(), {}, stream_, "ending a round", loop.handle, end->number,
           end->is_below ? 1 : 0, end->bound, end->rounds, end->most_rounds, end->all_rounds,
           end->missed, end->mark);
  }
  open_.pop_back();
  stop_capture();
  if (!open_.empty()) return capture(open_.back().body, &loop.node);
  check(driver().cuGraphInstantiate(&executable_, graph_, 0), recording);
}

void LoopRecording::replay() {
  const ProfilerRange range("recorded loop");
  const OnDevice current(device_);
  check(driver().cuGraphLaunch(executable_, stream_), "starting a loop");
}

void LoopRecording::begin_changes() { require(false, "bodies of loops are not changed"); }

}  // namespace goban::cuda
