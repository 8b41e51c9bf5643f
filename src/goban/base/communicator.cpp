#include "goban/base/communicator.hpp"

#include <stdexcept>

namespace goban {
namespace {

class SelfCommunicator : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  const std::vector<int>& nodes() const override { return nodes_; }
  std::string description() const override { return "one process"; }
  std::shared_ptr<Communicator> duplicate() override { return self_communicator(); }
  void barrier() override {}
  void broadcast(std::span<std::byte>, int) override {}
  void sum(std::span<std::uint64_t>) override {}
  void minimum(std::span<std::int64_t>) override {}
  void maximum(std::span<std::int64_t>) override {}
  std::vector<Parcel> exchange(std::vector<Parcel> parcels) override { return parcels; }
  std::unique_ptr<Outbox> open_outbox(int, int, std::size_t, const MessageAllocator&) override {
    refuse();
  }
  std::unique_ptr<Inbox> open_inbox(int, int, std::size_t, const MessageAllocator&) override {
    refuse();
  }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("there is no other rank"); }

  std::vector<int> nodes_{0};
};

}  // namespace

Outbox::~Outbox() = default;
Inbox::~Inbox() = default;
Communicator::~Communicator() = default;

std::shared_ptr<Communicator> self_communicator() {
  static const auto self = std::make_shared<SelfCommunicator>();
  return self;
}

}  // namespace goban
