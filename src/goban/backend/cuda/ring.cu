#include "goban/backend/cuda/ring.hpp"

#include <cuda.h>

#include "goban/backend/cuda/runtime_calls.cuh"

namespace goban::cuda {
namespace {

/// Functions of the driver, found at run time: programs run without one, too.
template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
  constexpr unsigned int version = 10020;  // that of the oldest form of these functions
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result),
        "looking for its driver");
#else
  check(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result),
        "looking for its driver");
#endif
  if (found == nullptr || result != cudaDriverEntryPointSuccess) {
    throw Error(ExitCode::resources, "no memory that repeats on GPUs",
                std::string("their driver has no ") + name, "store fields without InPlace");
  }
  return reinterpret_cast<Function>(found);
}

struct Driver {
  decltype(&cuMemGetAllocationGranularity) granularity =
      driver_function<decltype(&cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity");
  decltype(&cuMemAddressReserve) reserve =
      driver_function<decltype(&cuMemAddressReserve)>("cuMemAddressReserve");
  decltype(&cuMemAddressFree) free_addresses =
      driver_function<decltype(&cuMemAddressFree)>("cuMemAddressFree");
  decltype(&cuMemCreate) create = driver_function<decltype(&cuMemCreate)>("cuMemCreate");
  decltype(&cuMemRelease) release = driver_function<decltype(&cuMemRelease)>("cuMemRelease");
  decltype(&cuMemMap) map = driver_function<decltype(&cuMemMap)>("cuMemMap");
  decltype(&cuMemUnmap) unmap = driver_function<decltype(&cuMemUnmap)>("cuMemUnmap");
  decltype(&cuMemSetAccess) set_access =
      driver_function<decltype(&cuMemSetAccess)>("cuMemSetAccess");
};
const Driver& driver() {
  static const Driver functions;
  return functions;
}

void check_driver(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  throw Error(ExitCode::resources, std::string("the GPU failed while ") + what,
              "error " + std::to_string(status) + " of its driver",
              "`goban doctor` shows the state of the machine's GPUs");
}

CUmemAllocationProp properties_of(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

/// Two mappings of one piece of memory.
class Ring {
 public:
  Ring(int device, std::size_t bytes) : device_(device), bytes_(bytes) {}
  ~Ring() {
    const OnDevice current(device_);
    cudaDeviceSynchronize();
    for (int n = 0; n < mapped_; ++n) driver().unmap(place_ + n * bytes_, bytes_);
    if (place_ != 0) driver().free_addresses(place_, 2 * bytes_);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  /// False if there is not as much memory.
  bool allocate(const std::vector<int>& peers) {
    constexpr const char* doing = "mapping memory";
    const CUmemAllocationProp properties = properties_of(device_);
    CUmemGenericAllocationHandle memory = 0;
    const CUresult status = driver().create(&memory, bytes_, &properties, 0);
    if (status == CUDA_ERROR_OUT_OF_MEMORY) return false;
    check_driver(status, doing);
    CUresult result = driver().reserve(&place_, 2 * bytes_, 0, 0, 0);
    while (result == CUDA_SUCCESS && mapped_ < 2) {
      result = driver().map(place_ + mapped_ * bytes_, bytes_, 0, memory, 0);
      if (result == CUDA_SUCCESS) ++mapped_;
    }
    driver().release(memory);  // lives as long as it is mapped
    check_driver(result, doing);
    std::vector<CUmemAccessDesc> access;
    for (const int user : peers) {
      CUmemAccessDesc one{};
      one.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
      one.location.id = user;
      one.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
      access.push_back(one);
    }
    check_driver(driver().set_access(place_, 2 * bytes_, access.data(), access.size()), doing);
    return true;
  }
  std::byte* data() const { return reinterpret_cast<std::byte*>(place_); }

 private:
  int device_;
  std::size_t bytes_;
  CUdeviceptr place_ = 0;
  int mapped_ = 0;
};

}  // namespace

std::shared_ptr<std::byte> allocate_ring(int device, const std::vector<int>& peers,
                                         std::size_t bytes) {
  const OnDevice current(device);
  check(cudaFree(nullptr), "starting");  // the driver's functions need a context
  const auto ring = std::make_shared<Ring>(device, bytes);
  std::vector<int> users{device};
  for (const int peer : peers) {
    int reaches = 0;
    if (peer != device) check(cudaDeviceCanAccessPeer(&reaches, peer, device), "starting");
    if (reaches != 0) users.push_back(peer);
  }
  if (!ring->allocate(users)) return nullptr;
  return {ring, ring->data()};
}

std::size_t ring_page(int device) {
  const CUmemAllocationProp properties = properties_of(device);
  std::size_t page = 0;
  check_driver(driver().granularity(&page, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
               "being asked for its pages");
  return page;
}

}  // namespace goban::cuda
