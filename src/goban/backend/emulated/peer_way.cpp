#include "goban/backend/emulated/peer_way.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>

#include "goban/backend/host/fill.hpp"
#include "goban/base/error.hpp"

namespace goban::emulated {
namespace {

constexpr std::chrono::seconds longest_wait{60};

/// What both ends share.
struct Box {
  explicit Box(std::size_t bytes) : message(bytes) {}
  std::vector<std::byte> message;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_full = false;
};

class EmulatedPeerWay : public PeerWay {
 public:
  EmulatedPeerWay(End end, std::size_t most_bytes) : end_(end) {
    if (end == End::receives) box_ = std::make_shared<Box>(most_bytes);
  }

  std::vector<std::byte> handle() const override {
    const Handle handle{getpid(), &box_};
    const auto bytes = std::as_bytes(std::span(&handle, 1));
    return {bytes.begin(), bytes.end()};
  }
  bool connect(std::span<const std::byte> bytes) override {
    Handle handle;
    if (bytes.size() != sizeof(handle)) return false;
    std::memcpy(&handle, bytes.data(), sizeof(handle));
    if (handle.process != getpid()) return false;
    if (end_ == End::sends) box_ = *handle.box;
    return true;
  }
  void disconnect() override {}
  std::byte* message() const override { return box_->message.data(); }

  void exchange(const std::vector<CopyTask>& copies) {
    const bool wanted = end_ == End::receives;
    std::unique_lock lock(box_->mutex);
    const auto is_mine = [&] { return box_->is_full == wanted; };
    if (!box_->changed.wait_for(lock, longest_wait, is_mine)) {
      throw Error(ExitCode::peer_lost, "a message did not come", "its rank has failed or hangs");
    }
    for (const CopyTask& copy : copies) host::run_copy(copy);
    box_->is_full = !wanted;
    box_->changed.notify_all();
  }

 private:
  struct Handle {
    pid_t process;
    const std::shared_ptr<Box>* box;
  };
  End end_;
  std::shared_ptr<Box> box_;
};

}  // namespace

std::unique_ptr<PeerWay> open_peer_way(PeerWay::End end, std::size_t most_bytes) {
  return std::make_unique<EmulatedPeerWay>(end, most_bytes);
}

void exchange_messages(const std::vector<MessageTask>& tasks) {
  for (const MessageTask& task : tasks) {
    static_cast<EmulatedPeerWay&>(*task.way).exchange(task.copies);
  }
}

}  // namespace goban::emulated
