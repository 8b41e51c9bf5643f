#include "goban/backend/cuda/driver/mirrored_memory.hpp"

#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {
namespace {

CUmemAllocationProp properties_of(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

/// Two mappings of the same memory.
class Ring {
 public:
  Ring(int device, std::size_t bytes) : device_(device), bytes_(bytes) {}
  ~Ring() {
    const OnDevice current(device_);
    driver().cuCtxSynchronize();
    for (int n = 0; n < mapped_; ++n) driver().cuMemUnmap(place_ + n * bytes_, bytes_);
    if (place_ != 0) driver().cuMemAddressFree(place_, 2 * bytes_);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  /// Returns false if there is not enough memory.
  bool allocate(const std::vector<int>& peers) {
    constexpr const char* doing = "mapping memory";
    const CUmemAllocationProp properties = properties_of(device_);
    CUmemGenericAllocationHandle memory = 0;
    const CUresult status = driver().cuMemCreate(&memory, bytes_, &properties, 0);
    if (status == CUDA_ERROR_OUT_OF_MEMORY) return false;
    check(status, doing);
    CUresult result = driver().cuMemAddressReserve(&place_, 2 * bytes_, 0, 0, 0);
    while (result == CUDA_SUCCESS && mapped_ < 2) {
      result = driver().cuMemMap(place_ + mapped_ * bytes_, bytes_, 0, memory, 0);
      if (result == CUDA_SUCCESS) ++mapped_;
    }
    driver().cuMemRelease(memory);  // lives as long as it is mapped
    check(result, doing);
    std::vector<CUmemAccessDesc> access;
    for (const int user : peers) {
      CUmemAccessDesc one{};
      one.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
      one.location.id = user;
      one.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
      access.push_back(one);
    }
    check(driver().cuMemSetAccess(place_, 2 * bytes_, access.data(), access.size()), doing);
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

std::shared_ptr<std::byte> allocate_mirrored(int device, const std::vector<int>& peers,
                                             std::size_t bytes) {
  const OnDevice current(device);
  const auto ring = std::make_shared<Ring>(device, bytes);
  std::vector<int> users{device};
  for (const int peer : peers) {
    int reaches = 0;
    if (peer != device) check(driver().cuDeviceCanAccessPeer(&reaches, peer, device), "starting");
    if (reaches != 0) users.push_back(peer);
  }
  if (!ring->allocate(users)) return nullptr;
  return {ring, ring->data()};
}

std::size_t mirrored_page(int device) {
  const CUmemAllocationProp properties = properties_of(device);
  std::size_t page = 0;
  check(
      driver().cuMemGetAllocationGranularity(&page, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
      "being asked for its pages");
  return page;
}

}  // namespace goban::cuda
