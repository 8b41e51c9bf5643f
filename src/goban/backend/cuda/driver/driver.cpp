#include "goban/backend/cuda/driver/driver.hpp"

#include <dlfcn.h>

#include <array>
#include <atomic>

#include "goban/backend/cuda/driver/rehearsal.hpp"
#include "goban/base/process/forks.hpp"
#include "goban/base/process/start_times.hpp"

namespace goban::cuda {
namespace {

void* library() {
  static void* const opened = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed
  return opened;
}

struct LoadedDriver {
  LoadedDriver() : refusal(find_refusal()) {}

  std::string find_refusal() {
    if (!is_rehearsal() && library() == nullptr)
      return "no driver for GPUs: libcuda.so.1 cannot be loaded";
    // These functions came with CUDA 12.0: a driver that has them has all the others.
    if (!functions.cuLaunchKernelEx || !functions.cuGraphExecKernelNodeSetParams) {
      return "the driver is older than CUDA 12";
    }
    const Preparing preparing(Preparation::devices);
    const CUresult status = functions.cuInit(0);
    if (status == CUDA_SUCCESS) {
      functions.cuDriverGetVersion(&version);
      return "";
    }
    const char* text = nullptr;
    functions.cuGetErrorString(status, &text);
    return std::string("the driver refuses: ") + (text ? text : "unknown error");
  }

  Driver functions;
  int version = 0;
  std::string refusal;
  int forks_then = forks();
};

const LoadedDriver& loaded() {
  static const LoadedDriver one;
  return one;
}

constexpr const char* no_gpus = "cannot compute on cuda";
constexpr const char* doctor = "`goban doctor` shows the state of the machine's GPUs";

/// Makes a device current if the calling thread has none, for calls that need one.
void make_any_current() {
  CUcontext current = nullptr;
  if (driver().cuCtxGetCurrent(&current) == CUDA_SUCCESS && !current) {
    driver().cuCtxSetCurrent(context_of(0));
  }
}

}  // namespace

void* driver_symbol(const char* name) {
  if (is_rehearsal()) return rehearsal_symbol(name);
  return library() ? dlsym(library(), name) : nullptr;
}

const std::string& driver_refusal() { return loaded().refusal; }

const Driver& driver() {
  const LoadedDriver& one = loaded();
  if (!one.refusal.empty()) throw Error(ExitCode::resources, no_gpus, one.refusal, doctor);
  return one.functions;
}

int driver_version() { return loaded().version; }

void check(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  require_same_process(loaded().forks_then);
  const char* text = nullptr;
  driver().cuGetErrorString(status, &text);
  CUdevice device = 0;
  const bool is_known = driver().cuCtxGetDevice(&device) == CUDA_SUCCESS;
  throw Error(
      ExitCode::resources,
      (is_known ? "GPU " + std::to_string(device) : std::string("a GPU")) + " failed while " + what,
      text ? std::string(text) : "error " + std::to_string(status), doctor);
}

CUcontext context_of(int device) {
  static std::array<std::atomic<CUcontext>, most_devices> contexts{};
  auto& known = contexts.at(static_cast<std::size_t>(device));
  CUcontext context = known.load(std::memory_order_acquire);
  if (!context) {
    const Preparing preparing(Preparation::devices);
    check(driver().cuDevicePrimaryCtxRetain(&context, device), "starting");
    known.store(context, std::memory_order_release);  // by two threads at once the same
  }
  return context;
}

OnDevice::OnDevice(int number) {
  const CUcontext wanted = context_of(number);
  check(driver().cuCtxGetCurrent(&before_), "selecting a device");
  changed_ = before_ != wanted;
  if (changed_) check(driver().cuCtxSetCurrent(wanted), "selecting a device");
}

OnDevice::~OnDevice() {
  if (changed_) driver().cuCtxSetCurrent(before_);
}

int current_device() {
  CUdevice device = 0;
  check(driver().cuCtxGetDevice(&device), "selecting a device");
  return device;
}

int attribute(CUdevice_attribute what, int device) {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, what, device), "being asked what it is");
  return value;
}

std::string name_of(int device) {
  char name[256] = {};
  check(driver().cuDeviceGetName(name, sizeof(name), device), "being asked what it is");
  return name;
}

CUuuid uuid_of(int device) {
  CUuuid id{};
  check(driver().cuDeviceGetUuid(&id, device), "being asked what it is");
  return id;
}

int capability(int device) {
  return 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) +
         attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

int most_shared_bytes(int device) {
  return attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);
}

void* allocate(std::size_t bytes, const char* what) {
  CUdeviceptr memory = 0;
  check(driver().cuMemAlloc(&memory, bytes), what);
  return reinterpret_cast<void*>(memory);
}

void* allocate_if_free(std::size_t bytes, const char* what) {
  CUdeviceptr memory = 0;
  const CUresult status = driver().cuMemAlloc(&memory, bytes);
  if (status == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  check(status, what);
  return reinterpret_cast<void*>(memory);
}

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(driver().cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE),
        "allocating memory of the host");
  return memory;
}

void free_memory(void* memory) {
  make_any_current();
  driver().cuMemFree(address(memory));
}

bool register_memory(void* memory, std::size_t bytes) {
  const CUresult status = driver().cuMemHostRegister(memory, bytes, CU_MEMHOSTREGISTER_PORTABLE);
  if (status == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED) return false;
  check(status, "sharing memory of the host");
  return true;
}

void unregister_memory(void* memory) {
  make_any_current();
  driver().cuMemHostUnregister(memory);
}

}  // namespace goban::cuda
