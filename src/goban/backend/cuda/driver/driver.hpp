#pragma once
// The driver of NVIDIA GPUs: what goban uses of its interface, declared here, as no build needs
// NVIDIA's headers, and loaded at run time (libcuda.so.1). Names are NVIDIA's, so that they can be
// looked up; structures and functions are those of CUDA 12.0, which later drivers have, too.

#include <cstddef>
#include <cstdint>
#include <string>

#include "goban/base/error.hpp"

namespace goban::cuda {

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
};

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUkernel = struct CUkern_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUarray = struct CUarray_st*;
using CUmemGenericAllocationHandle = unsigned long long;
using CUgraphConditionalHandle = unsigned long long;

inline constexpr unsigned int CU_STREAM_NON_BLOCKING = 1;
inline constexpr unsigned int CU_EVENT_DEFAULT = 0, CU_EVENT_DISABLE_TIMING = 2;
inline constexpr unsigned int CU_MEMHOSTREGISTER_PORTABLE = 1;
inline constexpr unsigned int CU_MEMHOSTALLOC_PORTABLE = 1;
inline constexpr unsigned int CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1;
inline constexpr unsigned long long CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY = 8;

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};
enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
};
enum CUstreamCaptureMode : int { CU_STREAM_CAPTURE_MODE_RELAXED = 2 };
enum CUstreamCaptureStatus : int {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
};
enum CUmemorytype : int { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };
enum CUmemAllocationType : int { CU_MEM_ALLOCATION_TYPE_PINNED = 1 };
enum CUmemAllocationHandleType : int { CU_MEM_HANDLE_TYPE_NONE = 0 };
enum CUmemLocationType : int { CU_MEM_LOCATION_TYPE_DEVICE = 1 };
enum CUmemAccess_flags : int { CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3 };
enum CUmemAllocationGranularity_flags : int { CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0 };
enum CUtensorMapDataType : int { CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2 };
enum CUtensorMapInterleave : int { CU_TENSOR_MAP_INTERLEAVE_NONE = 0 };
enum CUtensorMapSwizzle : int { CU_TENSOR_MAP_SWIZZLE_NONE = 0 };
enum CUtensorMapL2promotion : int { CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3 };
enum CUtensorMapFloatOOBfill : int { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0 };
inline constexpr unsigned int CU_GRAPH_COND_ASSIGN_DEFAULT = 1;
enum CUgraphNodeType : int { CU_GRAPH_NODE_TYPE_CONDITIONAL = 13 };
enum CUgraphConditionalNodeType : int { CU_GRAPH_COND_TYPE_WHILE = 1 };
enum CUlaunchAttributeID : int { CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6 };

struct CUuuid {
  char bytes[16];
};
struct CUipcMemHandle {
  char reserved[64];
};
struct CUmemLocation {
  CUmemLocationType type;
  int id;
};
struct CUmemAllocationProp {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void* win32HandleMetaData;
  unsigned char allocFlags[8];
};
struct CUmemAccessDesc {
  CUmemLocation location;
  CUmemAccess_flags flags;
};
struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[4];
  union alignas(8) {
    char pad[64];
    int programmaticStreamSerializationAllowed;
  } value;
};
struct CUlaunchConfig {
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned int numAttrs;
};
struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
  CUkernel kern;
  CUcontext ctx;
};
struct CUDA_CONDITIONAL_NODE_PARAMS {
  CUgraphConditionalHandle handle;
  CUgraphConditionalNodeType type;
  unsigned int size;
  CUgraph* phGraph_out;
  CUcontext ctx;
};
struct CUgraphNodeParams {
  CUgraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    CUDA_CONDITIONAL_NODE_PARAMS conditional;
  };
  long long reserved2;
};
struct CUgraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};

/// Address of what the library exports under this name; null if it has none.
void* driver_symbol(const char* name);
/// See rehearsal.hpp.
bool is_rehearsal();
CUresult rehearse_call();

/// A function of the driver, named with the version of its form.
template <class... P>
class DriverFunction {
 public:
  explicit DriverFunction(const char* name)
      : function_(reinterpret_cast<CUresult (*)(P...)>(driver_symbol(name))) {
    if (!function_ && is_rehearsal()) function_ = [](P...) { return rehearse_call(); };
  }
  CUresult operator()(P... p) const { return function_(p...); }
  explicit operator bool() const { return function_ != nullptr; }

 private:
  CUresult (*function_)(P...);
};

struct Driver {
  template <class... P>
  using Fn = DriverFunction<P...>;
  using Size = std::size_t;

  Fn<unsigned int> cuInit{"cuInit"};
  Fn<int*> cuDriverGetVersion{"cuDriverGetVersion"};
  Fn<CUresult, const char**> cuGetErrorString{"cuGetErrorString"};

  Fn<int*> cuDeviceGetCount{"cuDeviceGetCount"};
  Fn<char*, int, CUdevice> cuDeviceGetName{"cuDeviceGetName"};
  Fn<CUuuid*, CUdevice> cuDeviceGetUuid{"cuDeviceGetUuid_v2"};
  Fn<int*, CUdevice_attribute, CUdevice> cuDeviceGetAttribute{"cuDeviceGetAttribute"};
  Fn<char*, int, CUdevice> cuDeviceGetPCIBusId{"cuDeviceGetPCIBusId"};
  Fn<int*, CUdevice, CUdevice> cuDeviceCanAccessPeer{"cuDeviceCanAccessPeer"};

  Fn<CUcontext*, CUdevice> cuDevicePrimaryCtxRetain{"cuDevicePrimaryCtxRetain"};
  Fn<CUcontext> cuCtxSetCurrent{"cuCtxSetCurrent"};
  Fn<CUcontext*> cuCtxGetCurrent{"cuCtxGetCurrent"};
  Fn<CUdevice*> cuCtxGetDevice{"cuCtxGetDevice"};
  Fn<> cuCtxSynchronize{"cuCtxSynchronize"};
  Fn<int*, int*> cuCtxGetStreamPriorityRange{"cuCtxGetStreamPriorityRange"};
  Fn<CUcontext, unsigned int> cuCtxEnablePeerAccess{"cuCtxEnablePeerAccess"};

  Fn<Size*, Size*> cuMemGetInfo{"cuMemGetInfo_v2"};
  Fn<CUdeviceptr*, Size> cuMemAlloc{"cuMemAlloc_v2"};
  Fn<CUdeviceptr> cuMemFree{"cuMemFree_v2"};
  Fn<void**, Size, unsigned int> cuMemHostAlloc{"cuMemHostAlloc"};
  Fn<void*> cuMemFreeHost{"cuMemFreeHost"};
  Fn<void*, Size, unsigned int> cuMemHostRegister{"cuMemHostRegister_v2"};
  Fn<void*> cuMemHostUnregister{"cuMemHostUnregister"};
  Fn<CUdeviceptr, CUdeviceptr, Size, CUstream> cuMemcpyAsync{"cuMemcpyAsync"};
  Fn<CUdeviceptr, const void*, Size> cuMemcpyHtoD{"cuMemcpyHtoD_v2"};
  Fn<CUdeviceptr, const void*, Size, CUstream> cuMemcpyHtoDAsync{"cuMemcpyHtoDAsync_v2"};
  Fn<void*, CUdeviceptr, Size, CUstream> cuMemcpyDtoHAsync{"cuMemcpyDtoHAsync_v2"};
  Fn<CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, Size, CUstream> cuMemcpyPeerAsync{
      "cuMemcpyPeerAsync"};
  Fn<CUdeviceptr, unsigned char, Size> cuMemsetD8{"cuMemsetD8_v2"};
  Fn<CUdeviceptr, unsigned char, Size, CUstream> cuMemsetD8Async{"cuMemsetD8Async"};
  Fn<CUipcMemHandle*, CUdeviceptr> cuIpcGetMemHandle{"cuIpcGetMemHandle"};
  Fn<CUdeviceptr*, CUipcMemHandle, unsigned int> cuIpcOpenMemHandle{"cuIpcOpenMemHandle_v2"};
  Fn<CUdeviceptr> cuIpcCloseMemHandle{"cuIpcCloseMemHandle"};

  Fn<Size*, const CUmemAllocationProp*, CUmemAllocationGranularity_flags>
      cuMemGetAllocationGranularity{"cuMemGetAllocationGranularity"};
  Fn<CUdeviceptr*, Size, Size, CUdeviceptr, unsigned long long> cuMemAddressReserve{
      "cuMemAddressReserve"};
  Fn<CUdeviceptr, Size> cuMemAddressFree{"cuMemAddressFree"};
  Fn<CUmemGenericAllocationHandle*, Size, const CUmemAllocationProp*, unsigned long long>
      cuMemCreate{"cuMemCreate"};
  Fn<CUmemGenericAllocationHandle> cuMemRelease{"cuMemRelease"};
  Fn<CUdeviceptr, Size, Size, CUmemGenericAllocationHandle, unsigned long long> cuMemMap{
      "cuMemMap"};
  Fn<CUdeviceptr, Size> cuMemUnmap{"cuMemUnmap"};
  Fn<CUdeviceptr, Size, const CUmemAccessDesc*, Size> cuMemSetAccess{"cuMemSetAccess"};

  Fn<CUstream*, unsigned int, int> cuStreamCreateWithPriority{"cuStreamCreateWithPriority"};
  Fn<CUstream> cuStreamDestroy{"cuStreamDestroy_v2"};
  Fn<CUstream> cuStreamSynchronize{"cuStreamSynchronize"};
  Fn<CUstream, CUevent, unsigned int> cuStreamWaitEvent{"cuStreamWaitEvent"};
  Fn<CUstream, CUstreamCaptureMode> cuStreamBeginCapture{"cuStreamBeginCapture_v2"};
  Fn<CUstream, CUgraph*> cuStreamEndCapture{"cuStreamEndCapture"};
  Fn<CUstream, CUstreamCaptureStatus*> cuStreamIsCapturing{"cuStreamIsCapturing"};
  Fn<CUstream, CUstreamCaptureStatus*, unsigned long long*, CUgraph*, const CUgraphNode**, Size*>
      cuStreamGetCaptureInfo{"cuStreamGetCaptureInfo_v2"};
  /// Since CUDA 12.3, and then the only one for dependent launches.
  Fn<CUstream, CUstreamCaptureStatus*, unsigned long long*, CUgraph*, const CUgraphNode**,
     const CUgraphEdgeData**, Size*>
      cuStreamGetCaptureInfo_v3{"cuStreamGetCaptureInfo_v3"};

  Fn<CUstream, void (*)(void*), void*> cuLaunchHostFunc{"cuLaunchHostFunc"};

  Fn<CUevent*, unsigned int> cuEventCreate{"cuEventCreate"};
  Fn<CUevent> cuEventDestroy{"cuEventDestroy_v2"};
  Fn<CUevent, CUstream> cuEventRecord{"cuEventRecord"};
  Fn<CUevent> cuEventSynchronize{"cuEventSynchronize"};
  Fn<float*, CUevent, CUevent> cuEventElapsedTime{"cuEventElapsedTime"};

  Fn<CUgraphExec*, CUgraph, unsigned long long> cuGraphInstantiate{"cuGraphInstantiateWithFlags"};
  Fn<CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS*> cuGraphExecKernelNodeSetParams{
      "cuGraphExecKernelNodeSetParams_v2"};
  Fn<CUgraphExec, CUstream> cuGraphLaunch{"cuGraphLaunch"};
  Fn<CUgraph*, unsigned int> cuGraphCreate{"cuGraphCreate"};
  Fn<CUgraph> cuGraphDestroy{"cuGraphDestroy"};
  /// Loops, since CUDA 12.4.
  Fn<CUgraphConditionalHandle*, CUgraph, CUcontext, unsigned int, unsigned int>
      cuGraphConditionalHandleCreate{"cuGraphConditionalHandleCreate"};
  Fn<CUgraphNode*, CUgraph, const CUgraphNode*, const CUgraphEdgeData*, Size, CUgraphNodeParams*>
      cuGraphAddNode{"cuGraphAddNode_v2"};
  Fn<CUstream, CUgraph, const CUgraphNode*, const CUgraphEdgeData*, Size, CUstreamCaptureMode>
      cuStreamBeginCaptureToGraph{"cuStreamBeginCaptureToGraph"};
  Fn<CUgraphExec> cuGraphExecDestroy{"cuGraphExecDestroy"};

  Fn<CUmodule*, const void*> cuModuleLoadData{"cuModuleLoadData"};
  Fn<CUfunction*, CUmodule, const char*> cuModuleGetFunction{"cuModuleGetFunction"};
  Fn<int*, CUfunction_attribute, CUfunction> cuFuncGetAttribute{"cuFuncGetAttribute"};
  Fn<CUfunction, CUfunction_attribute, int> cuFuncSetAttribute{"cuFuncSetAttribute"};
  Fn<const CUlaunchConfig*, CUfunction, void**, void**> cuLaunchKernelEx{"cuLaunchKernelEx"};
  Fn<int*, CUfunction, int, Size> cuOccupancyMaxActiveBlocksPerMultiprocessor{
      "cuOccupancyMaxActiveBlocksPerMultiprocessor"};
  /// Null where the driver knows no copy engines.
  Fn<void*, CUtensorMapDataType, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,
     const std::uint32_t*, const std::uint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
     CUtensorMapL2promotion, CUtensorMapFloatOOBfill>
      cuTensorMapEncodeTiled{"cuTensorMapEncodeTiled"};
};

/// Why GPUs cannot be used; empty: they can. Loads the driver.
const std::string& driver_refusal();
/// Error (ExitCode::resources): driver_refusal().
const Driver& driver();
/// As 13000; 0 where there is none.
int driver_version();

/// Error (ExitCode::resources): it failed.
void check(CUresult status, const char* what);

/// A process uses no more devices than this.
inline constexpr int most_devices = 64;

/// The context in which all parts of this process use a device; made at its first use, for good.
/// The CUDA runtime, in libraries, uses the same.
CUcontext context_of(int device);

/// Makes a device the thread's current one while it lives.
class OnDevice {
 public:
  explicit OnDevice(int number);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  CUcontext before_ = nullptr;
  bool changed_ = false;
};

int current_device();

inline CUdeviceptr address(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

int attribute(CUdevice_attribute what, int device);
std::string name_of(int device);
CUuuid uuid_of(int device);
/// The number of the device's architecture, as 90.
int capability(int device);
/// Shared memory that a block may ask for.
int most_shared_bytes(int device);

/// Memory of the current device. Error (ExitCode::resources): it failed.
void* allocate(std::size_t bytes, const char* what);
/// Memory of the current device; null where there is not as much left.
void* allocate_if_free(std::size_t bytes, const char* what);
/// Memory of the host that is pinned, for fast copies.
void* allocate_pinned(std::size_t bytes);
/// Any memory of a device, whichever is current.
void free_memory(void* memory);

/// Lets all devices reach this memory of the host. False: another executor of the process did.
bool register_memory(void* memory, std::size_t bytes);
/// Devices reach it no longer. Where several executors let them, the first ends it for all.
void unregister_memory(void* memory);

}  // namespace goban::cuda
