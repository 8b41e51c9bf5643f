#include "goban/domain/transport/mpi/boxes.hpp"

#include <array>
#include <optional>
#include <stdexcept>

namespace goban::mpi {
namespace {

struct Slot {
  MessageMemory memory;
  MPI_Request request = MPI_REQUEST_NULL;
};

class MpiOutbox : public Outbox {
 public:
  MpiOutbox(std::shared_ptr<Connection> connection, int rank, int tag, std::size_t most_bytes)
      : connection_(std::move(connection)),
        rank_(rank),
        tag_(connection_->tag_of_next_box(rank, tag, Connection::End::sender)),
        most_bytes_(most_bytes) {
    for (Slot& slot : slots_) slot.memory = allocate_message(most_bytes);
  }

  ~MpiOutbox() override {
    for (Slot& slot : slots_)
      if (slot.request != MPI_REQUEST_NULL) connection_->keep(slot.request, std::move(slot.memory));
  }

  std::byte* next() override {
    Slot& slot = slots_[message_ % message_slots];
    connection_->library().wait(slot.request, MPI_STATUS_IGNORE, rank_);
    return slot.memory.get();
  }

  void send(std::size_t bytes) override {
    if (bytes > most_bytes_) throw std::logic_error("a message is larger than its outbox");
    const std::byte* memory = next();
    MPI_Request& request = slots_[message_++ % message_slots].request;
    connection_->library().call("sending a message", [&] {
      const Bytes size(bytes);
      return MPI_Isend(memory, size.count(), size.type(), rank_, tag_, connection_->boxes(),
                       &request);
    });
  }

 private:
  std::shared_ptr<Connection> connection_;
  int rank_, tag_;
  std::size_t most_bytes_;
  std::array<Slot, message_slots> slots_;
  std::size_t message_ = 0;
};

class MpiInbox : public Inbox {
 public:
  MpiInbox(std::shared_ptr<Connection> connection, int rank, int tag, std::size_t most_bytes)
      : connection_(std::move(connection)),
        rank_(rank),
        tag_(connection_->tag_of_next_box(rank, tag, Connection::End::receiver)),
        most_bytes_(most_bytes) {
    for (Slot& slot : slots_) {
      slot.memory = allocate_message(most_bytes);
      receive(slot);
    }
  }

  ~MpiInbox() override {
    for (Slot& slot : slots_)
      if (slot.request != MPI_REQUEST_NULL) {
        if (!Library::has_ended())
          connection_->library().call("closing", [&] {
            MPI_Cancel(&slot.request);
            return MPI_SUCCESS;
          });
        connection_->keep(slot.request, std::move(slot.memory));
      }
  }

  std::span<const std::byte> next() override {
    Slot& slot = slots_[message_ % message_slots];
    if (!bytes_) {
      MPI_Status status;
      connection_->library().wait(slot.request, &status, rank_);
      bytes_ = bytes_of(status);
    }
    return {slot.memory.get(), *bytes_};
  }

  void release() override {
    next();
    bytes_.reset();
    receive(slots_[message_++ % message_slots]);
  }

 private:
  void receive(Slot& slot) {
    connection_->library().call("receiving a message", [&] {
      const Bytes size(most_bytes_);
      return MPI_Irecv(slot.memory.get(), size.count(), size.type(), rank_, tag_,
                       connection_->boxes(), &slot.request);
    });
  }

  std::shared_ptr<Connection> connection_;
  int rank_, tag_;
  std::size_t most_bytes_;
  std::array<Slot, message_slots> slots_;
  std::size_t message_ = 0;
  std::optional<std::size_t> bytes_;  ///< of the message that is held
};

}  // namespace

std::unique_ptr<Outbox> open_outbox(std::shared_ptr<Connection> connection, int rank, int tag,
                                    std::size_t most_bytes) {
  return std::make_unique<MpiOutbox>(std::move(connection), rank, tag, most_bytes);
}

std::unique_ptr<Inbox> open_inbox(std::shared_ptr<Connection> connection, int rank, int tag,
                                  std::size_t most_bytes) {
  return std::make_unique<MpiInbox>(std::move(connection), rank, tag, most_bytes);
}

}  // namespace goban::mpi
