#include "tests/emulated/peer_path.hpp"

#include <unistd.h>

#include <array>
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
  std::array<Index, 2> met{};  ///< barriers that each end has come to
};

class EmulatedPeerPath : public PeerPath {
 public:
  EmulatedPeerPath(End end, std::size_t most_bytes) : end_(end) {
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
    if (!box_->changed.wait_for(lock, longest_wait, is_mine)) refuse_to_wait();
    for (const CopyTask& copy : copies) host::run_copy(copy);
    box_->is_full = !wanted;
    box_->changed.notify_all();
  }

  void come() {
    const std::lock_guard lock(box_->mutex);
    ++box_->met[mine()];
    box_->changed.notify_all();
  }
  void wait_for_other() {
    std::unique_lock lock(box_->mutex);
    const auto has_come = [&] { return box_->met[1 - mine()] >= box_->met[mine()]; };
    if (!box_->changed.wait_for(lock, longest_wait, has_come)) refuse_to_wait();
  }

 private:
  [[noreturn]] static void refuse_to_wait() {
    throw Error(ExitCode::peer_lost, "a message did not come", "its rank has failed or hangs");
  }
  std::size_t mine() const { return end_ == End::sends ? 0 : 1; }
  struct Handle {
    pid_t process;
    const std::shared_ptr<Box>* box;
  };
  End end_;
  std::shared_ptr<Box> box_;
};

}  // namespace

std::unique_ptr<PeerPath> open_peer_path(PeerPath::End end, std::size_t most_bytes) {
  return std::make_unique<EmulatedPeerPath>(end, most_bytes);
}

void exchange_messages(const std::vector<MessageTask>& tasks) {
  for (const MessageTask& task : tasks) {
    static_cast<EmulatedPeerPath&>(*task.path).exchange(task.copies);
  }
}

void meet_over(const std::vector<PeerPath*>& paths) {
  for (PeerPath* path : paths) static_cast<EmulatedPeerPath*>(path)->come();
  for (PeerPath* path : paths) static_cast<EmulatedPeerPath*>(path)->wait_for_other();
}

namespace {

/// Who opens it keeps the memory alive.
struct Shared {
  pid_t process;
  const std::shared_ptr<std::byte>* memory;
};

}  // namespace

std::vector<std::byte> share(const std::shared_ptr<std::byte>& memory) {
  const Shared shared{getpid(), &memory};
  const auto bytes = std::as_bytes(std::span(&shared, 1));
  return {bytes.begin(), bytes.end()};
}

std::shared_ptr<std::byte> open_shared(std::span<const std::byte> handle) {
  Shared shared;
  if (handle.size() != sizeof(shared)) return nullptr;
  std::memcpy(&shared, handle.data(), sizeof(shared));
  return shared.process == getpid() ? *shared.memory : nullptr;
}

}  // namespace goban::emulated
