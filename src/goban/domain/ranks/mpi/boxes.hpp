#pragma once
// Messages between two ranks by MPI.

#include <memory>

#include "goban/base/communicator.hpp"
#include "goban/domain/ranks/mpi/connection.hpp"

namespace goban::mpi {

std::unique_ptr<Outbox> open_outbox(std::shared_ptr<Connection> connection, int rank, int tag,
                                    std::size_t most_bytes, const MessageAllocator& allocate);
std::unique_ptr<Inbox> open_inbox(std::shared_ptr<Connection> connection, int rank, int tag,
                                  std::size_t most_bytes, const MessageAllocator& allocate);

}  // namespace goban::mpi
