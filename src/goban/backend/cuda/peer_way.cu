#include <cstring>
#include <utility>

#include "goban/backend/cuda/counters.cuh"
#include "goban/backend/cuda/peer_way.cuh"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/cuda/turn.cuh"

namespace goban::cuda {
namespace {

using Counter = unsigned long long;

/// The memory of an end: how often the other end has handed over, how often this one has waited for
/// that; of the end that receives, then the message.
enum Part { arrived, taken };
constexpr std::size_t message_offset = 256;

__global__ void wait_kernel(Counter* mine) {
  wait_for_turn();
  wait_for_count(mine + arrived, mine + taken);
}

__global__ void hand_over_kernel(Counter* theirs) {
  wait_for_turn();
  count_up(theirs + arrived);
}

/// What one process tells another of its memory.
struct Handle {
  cudaUUID_t device;
  cudaIpcMemHandle_t memory;
};

class CudaPeerWay : public PeerWay {
 public:
  CudaPeerWay(int device, End end, std::size_t most_bytes,
              std::function<cudaStream_t(const Submission&)> begin)
      : device_(device), end_(end), begin_(std::move(begin)) {
    const OnDevice current(device_);
    const std::size_t bytes = message_offset + (end == End::receives ? most_bytes : 0);
    check(cudaMalloc(&mine_, bytes), "allocating memory for messages");
    // The first message may be written at once.
    const Counter counters[2] = {end == End::sends ? 1u : 0u, 0u};
    check(cudaMemcpy(mine_, counters, sizeof(counters), cudaMemcpyHostToDevice), "starting a way");
    check(cudaDeviceSynchronize(), "starting a way");
  }
  ~CudaPeerWay() override {
    disconnect();
    const OnDevice current(device_);
    cudaFree(mine_);
  }
  CudaPeerWay(const CudaPeerWay&) = delete;
  CudaPeerWay& operator=(const CudaPeerWay&) = delete;

  std::vector<std::byte> handle() const override {
    const OnDevice current(device_);
    Handle handle{uuid_of(device_), {}};
    if (cudaIpcGetMemHandle(&handle.memory, mine_) != cudaSuccess) {
      cudaGetLastError();
      return {};
    }
    const auto bytes = std::as_bytes(std::span(&handle, 1));
    return {bytes.begin(), bytes.end()};
  }

  bool connect(std::span<const std::byte> bytes) override {
    if (bytes.size() != sizeof(Handle)) return false;
    Handle handle;
    std::memcpy(&handle, bytes.data(), sizeof(handle));
    // Two processes of one GPU take turns at it: one that waits for the other keeps it busy.
    const cudaUUID_t mine = uuid_of(device_);
    if (std::memcmp(&mine, &handle.device, sizeof(mine)) == 0) return false;
    const OnDevice current(device_);
    if (cudaIpcOpenMemHandle(&theirs_, handle.memory, cudaIpcMemLazyEnablePeerAccess) !=
        cudaSuccess) {
      cudaGetLastError();
      theirs_ = nullptr;
    }
    return theirs_ != nullptr;
  }

  void disconnect() override {
    const OnDevice current(device_);
    if (theirs_) cudaIpcCloseMemHandle(std::exchange(theirs_, nullptr));
  }

  std::byte* message() const override {
    return static_cast<std::byte*>(end_ == End::receives ? mine_ : theirs_) + message_offset;
  }

  void wait(const Submission& submission) override {
    const OnDevice current(device_);
    launch_in_turn(&wait_kernel, 1, 1, 0, begin_(submission), static_cast<Counter*>(mine_));
    check(cudaGetLastError(), "waiting for a message");
  }

  void hand_over(Stream stream) override {
    const OnDevice current(device_);
    launch_in_turn(&hand_over_kernel, 1, 1, 0, begin_({stream}), static_cast<Counter*>(theirs_));
    check(cudaGetLastError(), "handing a message over");
  }

 private:
  static cudaUUID_t uuid_of(int device) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, device), "asking a GPU for its name");
    return properties.uuid;
  }

  int device_;
  End end_;
  std::function<cudaStream_t(const Submission&)> begin_;
  void* mine_ = nullptr;
  void* theirs_ = nullptr;
};

}  // namespace

std::unique_ptr<PeerWay> open_peer_way(int device, PeerWay::End end, std::size_t most_bytes,
                                       std::function<cudaStream_t(const Submission&)> begin) {
  return std::make_unique<CudaPeerWay>(device, end, most_bytes, std::move(begin));
}

}  // namespace goban::cuda
