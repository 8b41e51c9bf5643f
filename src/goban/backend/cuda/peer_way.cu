#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

#include "goban/backend/cuda/counters.cuh"
#include "goban/backend/cuda/peer_way.cuh"
#include "goban/backend/cuda/pieces.cuh"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/cuda/turn.cuh"

namespace goban::cuda {
namespace {

using Counter = unsigned long long;

/// The memory of an end: how often the other end has handed over, how often this one has waited for
/// that, how many blocks have copied their part of the present message; of the end that receives,
/// then the message.
enum Part { arrived, taken, copied, parts };
constexpr std::size_t message_offset = 256;

/// Counters of the two ends, and the blocks that copy the message.
struct Ends {
  Counter* mine;
  Counter* theirs;
  Counter blocks;
};

constexpr int pieces_per_launch = 40;
constexpr int most_blocks = 128;  ///< of a launch: those that wait keep others from computing

struct Exchange {
  Piece piece[pieces_per_launch];
  Ends ends[pieces_per_launch];  ///< of the piece's way
};

/// Every block waits for the message of its piece; the last to have copied hands it over. Lets
/// nothing launch before it is done, like meetings.
template <class Unit>
__global__ void __launch_bounds__(256) exchange_kernel(const __grid_constant__ Exchange exchange) {
  wait_for_turn();
  const Ends& ends = exchange.ends[blockIdx.y];
  const bool is_first = threadIdx.x == 0;
  if (is_first) wait_until_counted(ends.mine + arrived, ends.mine[taken] + 1);
  __syncthreads();
  copy_piece<Unit>(exchange.piece[blockIdx.y], blockIdx.x, gridDim.x);
  __threadfence_system();
  __syncthreads();
  if (!is_first) return;
  if (atomicAdd(ends.mine + copied, Counter{1}) + 1 < ends.blocks) return;
  __threadfence_system();
  ends.mine[copied] = 0;
  ends.mine[taken] += 1;
  count_up(ends.theirs + arrived);
}

constexpr int most_met = 128;  ///< ways of a meeting

struct Meeting {
  Ends ends[most_met];
  bool sends[most_met];
  int count;
};

/// A thread for each way: both ends count up at the other and wait for that. The end that sends has
/// one count beforehand, that its next message may be written. Lets nothing launch before it is
/// done.
__global__ void meet_over_kernel(const __grid_constant__ Meeting meeting) {
  wait_for_turn();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < meeting.count) count_up(meeting.ends[thread].theirs + arrived);
  __syncthreads();
  if (thread >= meeting.count) return;
  Counter* const mine = meeting.ends[thread].mine;
  wait_until_counted(mine + arrived, mine[taken] + (meeting.sends[thread] ? 2 : 1));
  mine[taken] += 1;
}

/// What one process tells another of its memory.
struct Handle {
  cudaUUID_t device;
  cudaIpcMemHandle_t memory;
};

cudaUUID_t uuid_of(int device) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "asking a GPU for its name");
  return properties.uuid;
}

/// Empty if it cannot be reached.
std::vector<std::byte> handle_of(int device, void* memory) {
  const OnDevice current(device);
  Handle handle{uuid_of(device), {}};
  if (cudaIpcGetMemHandle(&handle.memory, memory) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  const auto bytes = std::as_bytes(std::span(&handle, 1));
  return {bytes.begin(), bytes.end()};
}

/// Null if it cannot be reached, or not without harm: two processes of one GPU take turns at it,
/// one that waits for the other keeps it busy.
void* open_handle(int device, std::span<const std::byte> bytes) {
  if (bytes.size() != sizeof(Handle)) return nullptr;
  Handle handle;
  std::memcpy(&handle, bytes.data(), sizeof(handle));
  const cudaUUID_t mine = uuid_of(device);
  if (std::memcmp(&mine, &handle.device, sizeof(mine)) == 0) return nullptr;
  const OnDevice current(device);
  void* memory = nullptr;
  if (cudaIpcOpenMemHandle(&memory, handle.memory, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return memory;
}

class CudaPeerWay : public PeerWay {
 public:
  CudaPeerWay(int device, End end, std::size_t most_bytes) : device_(device), end_(end) {
    const OnDevice current(device_);
    const std::size_t bytes = message_offset + (end == End::receives ? most_bytes : 0);
    check(cudaMalloc(&mine_, bytes), "allocating memory for messages");
    // The first message may be written at once.
    const Counter counters[parts] = {end == End::sends ? 1u : 0u, 0u, 0u};
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

  std::vector<std::byte> handle() const override { return handle_of(device_, mine_); }

  bool connect(std::span<const std::byte> bytes) override {
    theirs_ = open_handle(device_, bytes);
    return theirs_ != nullptr;
  }

  void disconnect() override {
    const OnDevice current(device_);
    if (theirs_) cudaIpcCloseMemHandle(std::exchange(theirs_, nullptr));
  }

  std::byte* message() const override {
    return static_cast<std::byte*>(end_ == End::receives ? mine_ : theirs_) + message_offset;
  }

  bool sends() const { return end_ == End::sends; }
  Ends ends() const { return {static_cast<Counter*>(mine_), static_cast<Counter*>(theirs_), 0}; }

 private:
  int device_;
  End end_;
  void* mine_ = nullptr;
  void* theirs_ = nullptr;
};

}  // namespace

std::unique_ptr<PeerWay> open_peer_way(int device, PeerWay::End end, std::size_t most_bytes) {
  return std::make_unique<CudaPeerWay>(device, end, most_bytes);
}

void meet_over(const std::vector<PeerWay*>& ways, cudaStream_t stream) {
  if (ways.size() > most_met) throw std::logic_error("too many ways for one meeting");
  Meeting meeting{};
  for (const PeerWay* way : ways) {
    const auto& one = static_cast<const CudaPeerWay&>(*way);
    meeting.sends[meeting.count] = one.sends();
    meeting.ends[meeting.count++] = one.ends();
  }
  launch_in_turn(&meet_over_kernel, 1, most_met, 0, stream, meeting);
  check(cudaGetLastError(), "meeting its neighbours");
}

std::vector<std::byte> share(int device, const std::shared_ptr<std::byte>& memory) {
  return handle_of(device, memory.get());
}

std::shared_ptr<std::byte> open_shared(int device, std::span<const std::byte> handle) {
  void* const memory = open_handle(device, handle);
  if (!memory) return nullptr;
  return {static_cast<std::byte*>(memory), [device](std::byte* opened) {
            const OnDevice current(device);
            cudaIpcCloseMemHandle(opened);
          }};
}

void exchange_messages(const std::vector<MessageTask>& tasks, cudaStream_t stream) {
  struct Launch {
    Exchange exchange{};
    std::array<const PeerWay*, pieces_per_launch> way{};
    int count = 0, unit = 16;
    unsigned int blocks = 1;  ///< for each piece
  };
  std::vector<Launch> launches;
  for (const MessageTask& task : tasks) {
    for (const CopyTask& copy : task.copies) {
      if (launches.empty() || launches.back().count == pieces_per_launch) launches.emplace_back();
      Launch& launch = launches.back();
      launch.way[static_cast<std::size_t>(launch.count)] = task.way;
      launch.exchange.ends[launch.count] = static_cast<const CudaPeerWay&>(*task.way).ends();
      launch.exchange.piece[launch.count++] = piece_of(copy);
    }
  }
  std::map<const PeerWay*, Counter> blocks;
  for (Launch& launch : launches) {
    launch.unit = count_units(launch.exchange.piece, launch.count);
    Index most = 0;
    for (int i = 0; i < launch.count; ++i) {
      most = std::max(most, units_of(launch.exchange.piece[i]));
    }
    launch.blocks = static_cast<unsigned int>(
        std::clamp<Index>((most + 255) / 256, 1, std::max(1, most_blocks / launch.count)));
    for (int i = 0; i < launch.count; ++i) {
      blocks[launch.way[static_cast<std::size_t>(i)]] += launch.blocks;
    }
  }
  for (Launch& launch : launches) {
    for (int i = 0; i < launch.count; ++i) {
      launch.exchange.ends[i].blocks = blocks[launch.way[static_cast<std::size_t>(i)]];
    }
    const dim3 grid(launch.blocks, static_cast<unsigned int>(launch.count));
    with_unit(launch.unit, [&]<class Unit>() {
      launch_in_turn(&exchange_kernel<Unit>, grid, 256, 0, stream, launch.exchange);
    });
    check(cudaGetLastError(), "exchanging messages");
  }
}

}  // namespace goban::cuda
