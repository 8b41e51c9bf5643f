#pragma once
// Mailboxes: messages between two ranks by MPI. Halos travel in them.

#include <memory>

#include "goban/base/communicator.hpp"
#include "goban/domain/ranks/mpi/connection.hpp"

namespace goban::mpi {

/// Open the two ends of a mailbox for messages of at most `most_bytes` bytes, in memory from
/// `allocate`. Communicator::open_outbox() and open_inbox() call them.
std::unique_ptr<Outbox> open_outbox(std::shared_ptr<Connection> connection, int rank, int tag,
                                    std::size_t most_bytes, const MessageAllocator& allocate);
std::unique_ptr<Inbox> open_inbox(std::shared_ptr<Connection> connection, int rank, int tag,
                                  std::size_t most_bytes, const MessageAllocator& allocate);

}  // namespace goban::mpi
