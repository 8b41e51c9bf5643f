#pragma once
// Declares the part of the interface of NVIDIA's driver that goban uses, because no build needs
// NVIDIA's headers, and loads the driver at run time (libcuda.so.1). Names are NVIDIA's, so that
// they can be looked up. Structures and functions are those of CUDA 12.0, which later drivers have,
// too.

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

/// Returns the address of a function of the driver's library; null if it has none of this name.
void* driver_symbol(const char* name);
/// See rehearsal.hpp.
bool is_rehearsal();
CUresult rehearse_call();

/// A function of the driver. Its name has the version suffix of its signature.
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
  /// It exists since CUDA 12.3, and is then the only one that knows dependent launches.
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
  /// The functions for loops exist since CUDA 12.4.
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
  /// It is null if the driver knows no copy engines.
  Fn<void*, CUtensorMapDataType, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,
     const std::uint32_t*, const std::uint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
     CUtensorMapL2promotion, CUtensorMapFloatOOBfill>
      cuTensorMapEncodeTiled{"cuTensorMapEncodeTiled"};
};

/// Returns why GPUs cannot be used; empty if they can. Loads the driver.
const std::string& driver_refusal();
/// Returns the driver. Throws an Error (ExitCode::resources) with driver_refusal() if there is
/// none.
const Driver& driver();
/// Returns the driver's CUDA version, as 13000; 0 if there is no driver.
int driver_version();

/// Throws an Error (ExitCode::resources) if a call has failed. `what` says what was being done.
void check(CUresult status, const char* what);

/// The largest number of devices that a process uses.
inline constexpr int most_devices = 64;

/// Returns the context in which all parts of this process use a device. It is made at first use and
/// kept. The CUDA runtime, which libraries use, has the same.
CUcontext context_of(int device);

/// Makes a device the thread's current one while the object lives.
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
/// Returns the number of the device's architecture, as 90.
int capability(int device);
/// Returns the bytes of shared memory that a block may ask for.
int most_shared_bytes(int device);

/// Allocates memory of the current device. Throws an Error (ExitCode::resources) if that fails.
void* allocate(std::size_t bytes, const char* what);
/// Allocates memory of the current device; returns null if there is not enough left.
void* allocate_if_free(std::size_t bytes, const char* what);
/// Allocates pinned memory of the host, for fast copies.
void* allocate_pinned(std::size_t bytes);
/// Frees memory of any device, whichever is current.
void free_memory(void* memory);

/// Opens this memory of the host to all devices. Returns false if another executor of the process
/// has done so already.
bool register_memory(void* memory, std::size_t bytes);
/// Closes this memory of the host to devices. If several executors have opened it, the first call
/// closes it for all.
void unregister_memory(void* memory);

}  // namespace goban::cuda
