#include "goban/domain/ranks/mpi/boxes.hpp"

#include <array>
#include <stdexcept>

namespace goban::mpi {
namespace {

/// One of the message buffers of a mailbox, with a persistent MPI request.
struct Slot {
  MessageMemory memory;
  MPI_Request request = MPI_REQUEST_NULL;
  std::size_t bytes = 0;  ///< the bytes that the request was made for
  bool is_started = false;
};

class MpiOutbox : public Outbox {
 public:
  MpiOutbox(std::shared_ptr<Connection> connection, int rank, int tag, std::size_t most_bytes,
            const MessageAllocator& allocate)
      : connection_(std::move(connection)),
        rank_(rank),
        tag_(connection_->tag_of_next_box(rank, tag, Connection::End::sender)),
        most_bytes_(most_bytes) {
    for (Slot& slot : slots_) slot.memory = allocate(most_bytes);
  }

  ~MpiOutbox() override {
    for (Slot& slot : slots_) connection_->keep(slot.request, std::move(slot.memory));
  }

  std::byte* next() override {
    Slot& slot = slots_[message_ % message_slots];
    if (slot.is_started) connection_->library().wait(slot.request, MPI_STATUS_IGNORE, rank_);
    slot.is_started = false;
    return slot.memory.get();
  }

  void send(std::size_t bytes) override {
    if (bytes > most_bytes_) throw std::logic_error("a message is larger than its outbox");
    next();
    Slot& slot = slots_[message_++ % message_slots];
    if (slot.request == MPI_REQUEST_NULL || slot.bytes != bytes) make(slot, bytes);
    connection_->library().call("sending a message", [&] { return MPI_Start(&slot.request); });
    slot.is_started = true;
  }

 private:
  void make(Slot& slot, std::size_t bytes) {
    connection_->library().call("sending a message", [&] {
      const Bytes size(bytes);
      if (slot.request != MPI_REQUEST_NULL) MPI_Request_free(&slot.request);
      return MPI_Send_init(slot.memory.get(), size.count(), size.type(), rank_, tag_,
                           connection_->boxes(), &slot.request);
    });
    slot.bytes = bytes;
  }

  std::shared_ptr<Connection> connection_;
  int rank_, tag_;
  std::size_t most_bytes_;
  std::array<Slot, message_slots> slots_;
  std::size_t message_ = 0;
};

class MpiInbox : public Inbox {
 public:
  MpiInbox(std::shared_ptr<Connection> connection, int rank, int tag, std::size_t most_bytes,
           const MessageAllocator& allocate)
      : connection_(std::move(connection)),
        rank_(rank),
        tag_(connection_->tag_of_next_box(rank, tag, Connection::End::receiver)) {
    for (Slot& slot : slots_) {
      slot.memory = allocate(most_bytes);
      connection_->library().call("receiving a message", [&] {
        const Bytes size(most_bytes);
        return MPI_Recv_init(slot.memory.get(), size.count(), size.type(), rank_, tag_,
                             connection_->boxes(), &slot.request);
      });
      start(slot);
    }
  }

  ~MpiInbox() override {
    for (Slot& slot : slots_) {
      if (slot.is_started && !Library::has_ended()) {
        connection_->library().call("closing", [&] {
          MPI_Cancel(&slot.request);
          return MPI_SUCCESS;
        });
      }
      connection_->keep(slot.request, std::move(slot.memory));
    }
  }

  std::span<const std::byte> next() override {
    Slot& slot = slots_[message_ % message_slots];
    if (slot.is_started) {
      MPI_Status status;
      connection_->library().wait(slot.request, &status, rank_);
      slot.is_started = false;
      slot.bytes = bytes_of(status);
    }
    return {slot.memory.get(), slot.bytes};
  }

  void release() override {
    next();
    start(slots_[message_++ % message_slots]);
  }

 private:
  void start(Slot& slot) {
    connection_->library().call("receiving a message", [&] { return MPI_Start(&slot.request); });
    slot.is_started = true;
  }

  std::shared_ptr<Connection> connection_;
  int rank_, tag_;
  std::array<Slot, message_slots> slots_;
  std::size_t message_ = 0;
};

}  // namespace

std::unique_ptr<Outbox> open_outbox(std::shared_ptr<Connection> connection, int rank, int tag,
                                    std::size_t most_bytes, const MessageAllocator& allocate) {
  return std::make_unique<MpiOutbox>(std::move(connection), rank, tag, most_bytes, allocate);
}

std::unique_ptr<Inbox> open_inbox(std::shared_ptr<Connection> connection, int rank, int tag,
                                  std::size_t most_bytes, const MessageAllocator& allocate) {
  return std::make_unique<MpiInbox>(std::move(connection), rank, tag, most_bytes, allocate);
}

}  // namespace goban::mpi
