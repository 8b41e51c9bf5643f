#include "goban/backend/cuda/transfer/peer_path.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"
#include "goban/backend/cuda/kernels/exchange.cuh"
#include "goban/backend/cuda/kernels/waits.cuh"
#include "goban/backend/cuda/transfer/pieces.hpp"

namespace goban::cuda {
namespace {

using device::Ends, device::Exchange, device::most_met, device::pieces_per_exchange;

/// The offset of the message in the memory of the receiving end, in bytes; counters come before it.
constexpr std::size_t message_offset = 256;
/// The largest number of blocks in a launch. Blocks that wait keep others from computing.
constexpr int most_blocks = 128;

/// What one process tells another about its memory.
struct Handle {
  CUuuid device;
  CUipcMemHandle memory;
};

/// Returns the handle of memory; empty if other processes cannot access it.
std::vector<std::byte> handle_of(int device, void* memory) {
  const OnDevice current(device);
  Handle handle{uuid_of(device), {}};
  if (driver().cuIpcGetMemHandle(&handle.memory, address(memory)) != CUDA_SUCCESS) return {};
  const auto bytes = std::as_bytes(std::span(&handle, 1));
  return {bytes.begin(), bytes.end()};
}

/// Opens the memory behind a handle. Returns null if it cannot be accessed, and also if both
/// processes use the same GPU: they take turns on it, so that one that waits for the other would
/// block it.
void* open_handle(int device, std::span<const std::byte> bytes) {
  if (bytes.size() != sizeof(Handle)) return nullptr;
  Handle handle;
  std::memcpy(&handle, bytes.data(), sizeof(handle));
  const CUuuid mine = uuid_of(device);
  if (std::memcmp(&mine, &handle.device, sizeof(mine)) == 0) return nullptr;
  const OnDevice current(device);
  CUdeviceptr memory = 0;
  const CUresult status =
      driver().cuIpcOpenMemHandle(&memory, handle.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  return status == CUDA_SUCCESS ? reinterpret_cast<void*>(memory) : nullptr;
}

class CudaPeerPath : public PeerPath {
 public:
  CudaPeerPath(int device, End end, std::size_t most_bytes) : device_(device), end_(end) {
    const OnDevice current(device_);
    const std::size_t bytes = message_offset + (end == End::receives ? most_bytes : 0);
    mine_ = allocate(bytes, "allocating memory for messages");
    device::Counter counters[device::path_counters] = {};
    counters[device::path_arrived] = end == End::sends;  // the first message may be written at once
    check(driver().cuMemcpyHtoD(address(mine_), counters, sizeof(counters)), "starting a path");
    check(driver().cuCtxSynchronize(), "starting a path");
  }
  ~CudaPeerPath() override {
    disconnect();
    free_memory(mine_);
  }
  CudaPeerPath(const CudaPeerPath&) = delete;
  CudaPeerPath& operator=(const CudaPeerPath&) = delete;

  std::vector<std::byte> handle() const override { return handle_of(device_, mine_); }

  bool connect(std::span<const std::byte> bytes) override {
    theirs_ = open_handle(device_, bytes);
    return theirs_ != nullptr;
  }

  void disconnect() override {
    const OnDevice current(device_);
    if (theirs_) driver().cuIpcCloseMemHandle(address(std::exchange(theirs_, nullptr)));
  }

  std::byte* message() const override {
    return static_cast<std::byte*>(end_ == End::receives ? mine_ : theirs_) + message_offset;
  }

  bool sends() const { return end_ == End::sends; }
  Ends ends() const {
    return {static_cast<device::Counter*>(mine_), static_cast<device::Counter*>(theirs_), 0};
  }

 private:
  int device_;
  End end_;
  void* mine_ = nullptr;
  void* theirs_ = nullptr;
};

}  // namespace

std::unique_ptr<PeerPath> open_peer_path(int device, PeerPath::End end, std::size_t most_bytes) {
  return std::make_unique<CudaPeerPath>(device, end, most_bytes);
}

void meet_over(const std::vector<PeerPath*>& paths, CUstream stream) {
  if (paths.size() > most_met) throw std::logic_error("too many paths for one barrier");
  device::BarrierOver barrier{};
  for (const PeerPath* path : paths) {
    const auto& one = static_cast<const CudaPeerPath&>(*path);
    barrier.sends[barrier.count] = one.sends();
    barrier.ends[barrier.count++] = one.ends();
  }
  launch(WaitKernels::get().meet_over.here(), {{1}, {most_met}}, stream,
         "waiting for its neighbours", barrier);
}

std::vector<std::byte> share(int device, const std::shared_ptr<std::byte>& memory) {
  return handle_of(device, memory.get());
}

std::shared_ptr<std::byte> open_shared(int device, std::span<const std::byte> handle) {
  void* const memory = open_handle(device, handle);
  if (!memory) return nullptr;
  return {static_cast<std::byte*>(memory), [device](std::byte* opened) {
            const OnDevice current(device);
            driver().cuIpcCloseMemHandle(address(opened));
          }};
}

void exchange_messages(const std::vector<MessageTask>& tasks, CUstream stream) {
  struct Launch {
    Exchange exchange{};
    std::array<const PeerPath*, pieces_per_exchange> path{};
    int count = 0, unit = 16;
    unsigned int blocks = 1;  ///< blocks per piece
  };
  std::vector<Launch> launches;
  for (const MessageTask& task : tasks) {
    for (const CopyTask& copy : task.copies) {
      if (launches.empty() || launches.back().count == pieces_per_exchange) launches.emplace_back();
      Launch& launch = launches.back();
      launch.path[static_cast<std::size_t>(launch.count)] = task.path;
      launch.exchange.ends[launch.count] = static_cast<const CudaPeerPath&>(*task.path).ends();
      launch.exchange.piece[launch.count++] = piece_of(copy);
    }
  }
  std::map<const PeerPath*, device::Counter> blocks;
  for (Launch& launch : launches) {
    launch.unit = count_units(launch.exchange.piece, launch.count);
    Index most = 0;
    for (int i = 0; i < launch.count; ++i) {
      most = std::max(most, units_of(launch.exchange.piece[i]));
    }
    launch.blocks = static_cast<unsigned int>(
        std::clamp<Index>((most + 255) / 256, 1, std::max(1, most_blocks / launch.count)));
    for (int i = 0; i < launch.count; ++i) {
      blocks[launch.path[static_cast<std::size_t>(i)]] += launch.blocks;
    }
  }
  for (Launch& launch : launches) {
    for (int i = 0; i < launch.count; ++i) {
      launch.exchange.ends[i].blocks = blocks[launch.path[static_cast<std::size_t>(i)]];
    }
    const Dim3 grid{launch.blocks, static_cast<unsigned int>(launch.count)};
    cuda::launch(exchange_kernel(launch.unit).here(), {grid, {256}}, stream, "exchanging messages",
                 launch.exchange);
  }
}

}  // namespace goban::cuda
