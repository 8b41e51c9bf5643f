#include "goban/backend/cuda/driver/rehearsal.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {
namespace {

constexpr auto success = CUDA_SUCCESS;
constexpr auto invalid_value = static_cast<CUresult>(1);
constexpr auto invalid_context = static_cast<CUresult>(201);
constexpr std::size_t memory_of_gpu = std::size_t{1} << 40, page = 4096;

struct {
  int capability = 0, gpus = 0;
} machine;

/// Returns the bytes of shared memory that a block may have, by the table of technical
/// specifications in NVIDIA's programming guide.
int shared_bytes_of_block() {
  switch (machine.capability) {
    case 75: return 64 << 10;
    case 80:
    case 87: return 163 << 10;
    case 86:
    case 89:
    case 120:
    case 121: return 99 << 10;
    default: return 227 << 10;
  }
}

std::atomic<int> launches = 0, changes = 0, waits = 0;
/// The node of the latest launch, if that was recorded.
thread_local CUgraphNode latest = nullptr;

thread_local CUcontext current = nullptr;
CUresult on_device() { return current ? success : invalid_context; }

/// Returns a new handle, which is an address without memory.
template <class T>
T new_handle(std::size_t bytes = page) {
  static std::atomic<std::uintptr_t> next = std::uintptr_t{1} << 44;
  return (T)next.fetch_add((bytes + page - 1) / page * page);  // a pointer or an integer
}
template <class T>
CUresult make(T* handle) {
  *handle = new_handle<T>();
  return on_device();
}

/// A capture lasts until it is ended on the queue on which it began. Queues that wait for one of
/// its events are captured, too.
constexpr auto capture_unsupported = static_cast<CUresult>(900);

struct Recording {};
struct Queue {
  std::shared_ptr<Recording> begun;
  std::weak_ptr<Recording> joined;
  bool is_recording() const { return begun || !joined.expired(); }
};
struct Event {
  std::weak_ptr<Recording> of;
};
Queue& queue_of(CUstream stream) { return *reinterpret_cast<Queue*>(stream); }
Event& event_of(CUevent event) { return *reinterpret_cast<Event*>(event); }
CUresult begin_recording(CUstream stream) {
  Queue& queue = queue_of(stream);
  queue.joined = queue.begun = std::make_shared<Recording>();
  return on_device();
}

struct Function {
  int shared_bytes = 48 << 10;
};

CUresult attribute_of_device(int* value, CUdevice_attribute what, CUdevice) {
  switch (what) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = machine.capability / 10; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = machine.capability % 10; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = shared_bytes_of_block();
      break;
    default: *value = 132;
  }
  return success;
}

CUresult attribute_of_function(int* value, CUfunction_attribute, CUfunction) {
  *value = 64;
  return on_device();
}

CUresult launch_kernel(const CUlaunchConfig* config, CUfunction function, void**, void**) {
  const auto& c = *config;
  const unsigned int threads = c.blockDimX * c.blockDimY * c.blockDimZ;
  const auto& known = *reinterpret_cast<const Function*>(function);
  const bool can_be = c.gridDimX > 0 && c.gridDimY > 0 && c.gridDimZ > 0 && threads > 0 &&
                      threads <= 1024 && c.gridDimY <= 65535 && c.gridDimZ <= 65535 &&
                      static_cast<int>(c.sharedMemBytes) <= known.shared_bytes;
  launches += can_be ? 1 : 0;
  latest = reinterpret_cast<CUgraphNode>(function);
  return can_be ? on_device() : invalid_value;
}

CUresult capture_info(CUstream stream, CUstreamCaptureStatus* status, const CUgraphNode** nodes,
                      std::size_t* count) {
  *status = queue_of(stream).is_recording() ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                            : CU_STREAM_CAPTURE_STATUS_NONE;
  *nodes = &latest;
  *count = 1;
  return on_device();
}

template <class... P>
void* pointer_to(CUresult (*function)(P...)) {
  return reinterpret_cast<void*>(function);
}
/// Returns a lambda without captures as a function.
template <class F>
void* as_function(F&& lambda) {
  return pointer_to(+lambda);
}

using Size = std::size_t;

/// The functions that return something or check their arguments.
const std::map<std::string_view, void*>& functions() {
  static const std::map<std::string_view, void*> all = {
      {"cuInit", as_function([](unsigned int) { return success; })},
      {"cuDriverGetVersion", as_function([](int* version) {
         *version = 0;
         return success;
       })},
      {"cuGetErrorString", as_function([](CUresult error, const char** text) {
         *text = error == invalid_context ? "no device is current"
                 : error == invalid_value ? "no GPU can do that"
                                          : "refused";
         return success;
       })},
      {"cuDeviceGetCount", as_function([](int* count) {
         *count = machine.gpus;
         return success;
       })},
      {"cuDeviceGetName", as_function([](char* name, int size, CUdevice) {
         std::snprintf(name, static_cast<Size>(size), "none, sm_%d", machine.capability);
         return success;
       })},
      {"cuDeviceGetUuid_v2", as_function([](CUuuid* id, CUdevice device) {
         std::memset(id->bytes, device, sizeof(id->bytes));
         return success;
       })},
      {"cuDeviceGetAttribute", as_function(attribute_of_device)},
      {"cuDeviceGetPCIBusId", as_function([](char* text, int size, CUdevice device) {
         std::snprintf(text, static_cast<Size>(size), "none:%d", device);
         return success;
       })},
      {"cuDeviceCanAccessPeer", as_function([](int* can, CUdevice a, CUdevice b) {
         *can = a != b ? 1 : 0;
         return success;
       })},
      {"cuDevicePrimaryCtxRetain", as_function([](CUcontext* context, CUdevice device) {
         *context = reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(device) + 1);
         return success;
       })},
      {"cuCtxSetCurrent", as_function([](CUcontext context) {
         current = context;
         return success;
       })},
      {"cuCtxGetCurrent", as_function([](CUcontext* context) {
         *context = current;
         return success;
       })},
      {"cuCtxGetDevice", as_function([](CUdevice* device) {
         *device = static_cast<CUdevice>(reinterpret_cast<std::uintptr_t>(current)) - 1;
         return on_device();
       })},
      {"cuCtxGetStreamPriorityRange", as_function([](int* least, int* greatest) {
         *least = 0, *greatest = -1;
         return on_device();
       })},
      {"cuMemGetInfo_v2", as_function([](Size* free, Size* total) {
         *free = *total = memory_of_gpu;
         return on_device();
       })},
      {"cuMemAlloc_v2", as_function([](CUdeviceptr* memory, Size bytes) {
         *memory = new_handle<CUdeviceptr>(bytes);
         return on_device();
       })},
      {"cuMemHostAlloc", as_function([](void** memory, Size bytes, unsigned int) {
         *memory = std::calloc(1, bytes);
         return on_device();
       })},
      {"cuMemFreeHost", as_function([](void* memory) {
         std::free(memory);
         return on_device();
       })},
      // Memory of a device, as it is before anything is computed.
      {"cuMemcpyDtoHAsync_v2", as_function([](void* to, CUdeviceptr, Size bytes, CUstream) {
         std::memset(to, 0, bytes);
         return on_device();
       })},
      {"cuIpcOpenMemHandle_v2", as_function([](CUdeviceptr* memory, CUipcMemHandle, unsigned int) {
         *memory = new_handle<CUdeviceptr>();
         return on_device();
       })},
      {"cuMemGetAllocationGranularity",
       as_function([](Size* bytes, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
         *bytes = Size{2} << 20;
         return success;
       })},
      {"cuMemAddressReserve",
       as_function([](CUdeviceptr* memory, Size bytes, Size, CUdeviceptr, unsigned long long) {
         *memory = new_handle<CUdeviceptr>(bytes);
         return success;
       })},
      {"cuMemCreate",
       as_function([](CUmemGenericAllocationHandle* memory, Size, const CUmemAllocationProp*,
                      unsigned long long) { return make(memory); })},
      {"cuStreamCreateWithPriority", as_function([](CUstream* stream, unsigned int, int) {
         *stream = reinterpret_cast<CUstream>(new Queue);
         return on_device();
       })},
      {"cuStreamDestroy_v2", as_function([](CUstream stream) {
         delete &queue_of(stream);
         return on_device();
       })},
      {"cuStreamSynchronize", as_function([](CUstream stream) {
         ++waits;
         const bool is_recording = stream && queue_of(stream).is_recording();
         return is_recording ? capture_unsupported : on_device();
       })},
      {"cuStreamBeginCapture_v2",
       as_function([](CUstream stream, CUstreamCaptureMode) { return begin_recording(stream); })},
      {"cuStreamEndCapture", as_function([](CUstream stream, CUgraph* graph) {
         queue_of(stream).begun.reset();
         return make(graph);
       })},
      {"cuStreamIsCapturing", as_function([](CUstream stream, CUstreamCaptureStatus* status) {
         const CUgraphNode* nodes = nullptr;
         Size count = 0;
         return capture_info(stream, status, &nodes, &count);
       })},
      {"cuStreamGetCaptureInfo_v2",
       as_function([](CUstream stream, CUstreamCaptureStatus* status, unsigned long long*, CUgraph*,
                      const CUgraphNode** nodes,
                      Size* count) { return capture_info(stream, status, nodes, count); })},
      {"cuStreamGetCaptureInfo_v3",
       as_function([](CUstream stream, CUstreamCaptureStatus* status, unsigned long long*, CUgraph*,
                      const CUgraphNode** nodes, const CUgraphEdgeData**,
                      Size* count) { return capture_info(stream, status, nodes, count); })},
      {"cuLaunchHostFunc", as_function([](CUstream stream, void (*work)(void*), void* data) {
         if (!queue_of(stream).is_recording()) work(data);
         return on_device();
       })},
      {"cuEventCreate", as_function([](CUevent* event, unsigned int) {
         *event = reinterpret_cast<CUevent>(new Event);
         return on_device();
       })},
      {"cuEventDestroy_v2", as_function([](CUevent event) {
         delete &event_of(event);
         return on_device();
       })},
      {"cuEventRecord", as_function([](CUevent event, CUstream stream) {
         event_of(event).of = queue_of(stream).joined;
         return on_device();
       })},
      {"cuStreamWaitEvent", as_function([](CUstream stream, CUevent event, unsigned int) {
         if (!event_of(event).of.expired()) queue_of(stream).joined = event_of(event).of;
         return on_device();
       })},
      {"cuEventElapsedTime", as_function([](float* milliseconds, CUevent, CUevent) {
         *milliseconds = 1;
         return on_device();
       })},
      {"cuGraphExecKernelNodeSetParams_v2",
       as_function([](CUgraphExec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
         ++changes;
         return reinterpret_cast<CUfunction>(node) == params->func ? on_device() : invalid_value;
       })},
      {"cuGraphCreate", as_function([](CUgraph* graph, unsigned int) { return make(graph); })},
      {"cuGraphAddNode_v2",
       as_function([](CUgraphNode*, CUgraph, const CUgraphNode*, const CUgraphEdgeData*, Size,
                      CUgraphNodeParams* params) {
         static CUgraph body = new_handle<CUgraph>();
         params->conditional.phGraph_out = &body;
         return on_device();
       })},
      {"cuStreamBeginCaptureToGraph",
       as_function([](CUstream stream, CUgraph, const CUgraphNode*, const CUgraphEdgeData*, Size,
                      CUstreamCaptureMode) { return begin_recording(stream); })},
      {"cuGraphInstantiateWithFlags",
       as_function([](CUgraphExec* graph, CUgraph, unsigned long long) { return make(graph); })},
      {"cuModuleLoadData", as_function([](CUmodule* module, const void*) { return make(module); })},
      {"cuModuleGetFunction", as_function([](CUfunction* function, CUmodule, const char*) {
         *function = reinterpret_cast<CUfunction>(new Function);  // modules stay
         return on_device();
       })},
      {"cuFuncGetAttribute", as_function(attribute_of_function)},
      {"cuFuncSetAttribute",
       as_function([](CUfunction function, CUfunction_attribute which, int value) {
         const bool is_share = which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
         if (value > (is_share ? 100 : shared_bytes_of_block())) return invalid_value;
         if (!is_share) reinterpret_cast<Function*>(function)->shared_bytes = value;
         return on_device();
       })},
      {"cuLaunchKernelEx", as_function(launch_kernel)},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor",
       as_function([](int* blocks, CUfunction, int threads, Size) {
         *blocks = std::max(1, 1024 / std::max(1, threads));
         return on_device();
       })},
  };
  return all;
}

}  // namespace

void rehearse(int capability, int gpus) {
  const auto before = machine;
  machine = {capability, gpus};
  const bool is_in_time = driver_version() == 0 && driver_refusal().empty();
  if (!is_in_time) machine = before;
  require(is_in_time, "too late to do without GPUs");
}

bool is_rehearsal() { return machine.capability != 0; }

int rehearsed_launches() { return launches; }
int rehearsed_changes() { return changes; }
int rehearsed_waits() { return waits; }

CUresult rehearse_call() { return on_device(); }

void* rehearsal_symbol(std::string_view name) {
  const auto found = functions().find(name);
  return found != functions().end() ? found->second : nullptr;
}

}  // namespace goban::cuda
