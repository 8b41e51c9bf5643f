#include "goban/domain/ranks/mpi/connection.hpp"

#include <exception>

namespace goban::mpi {
namespace {

constexpr int box_tags = 32768;

MPI_Comm duplicate(MPI_Comm communicator) {
  MPI_Comm result;
  check(MPI_Comm_dup(communicator, &result), "a duplicate of a communicator");
  check(MPI_Comm_set_errhandler(result, MPI_ERRORS_RETURN), "a duplicate of a communicator");
  return result;
}

}  // namespace

Connection::Connection(MPI_Comm communicator) : library_(Library::use()) {
  const Waiting waiting(*board, ActivityBoard::everybody);
  all_ = duplicate(communicator);
  boxes_ = duplicate(all_);
  void* most = nullptr;
  int is_known = 0;
  check(MPI_Comm_get_attr(boxes_, MPI_TAG_UB, &most, &is_known), "the largest tag");
  if (is_known != 0) tags_of_box_ = (*static_cast<int*>(most) - box_tags + 1) / box_tags + 1;
}

Connection::~Connection() {
  const bool is_torn = is_left_open_ || std::uncaught_exceptions() > 0;
  if (is_torn) library_->leave_open();
  if (!is_torn && !Library::has_ended()) {
    const Waiting waiting(*board, ActivityBoard::everybody);
    try {
      if (library_->is_ours()) wait_for_all_to_end();
      drop_leftovers();
      MPI_Comm_free(&boxes_);
      MPI_Comm_free(&all_);
    } catch (const std::exception&) {
      library_->leave_open();
    }
  }
  for (Leftover& leftover : leftovers_) {  // MPI may write to it
    new MessageMemory(std::move(leftover.memory));
  }
}

int Connection::tag_of_next_box(int rank, int tag, End end) {
  const std::lock_guard lock(mutex_);
  return tag + box_tags * (opened_[{rank, tag, end}]++ % tags_of_box_);
}

void Connection::keep(MPI_Request request, MessageMemory memory) noexcept {
  const std::lock_guard lock(mutex_);
  leftovers_.push_back({request, std::move(memory)});
  if (Library::has_ended()) return;
  try {
    drop_leftovers();
  } catch (const std::exception&) {  // they stay
  }
}

void Connection::drop_leftovers() {
  std::erase_if(leftovers_, [&](Leftover& each) {
    const bool is_done = each.request == MPI_REQUEST_NULL || library_->is_done(each.request);
    if (is_done && each.request != MPI_REQUEST_NULL) {  // those that may be started again stay
      library_->call("closing", [&] { return MPI_Request_free(&each.request); });
    }
    return is_done;
  });
}

void Connection::drop_unread() {
  for (;;) {
    int is_there = 0;
    MPI_Message message;
    MPI_Status status;
    library_->call("the end", [&] {
      return MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, boxes_, &is_there, &message, &status);
    });
    if (is_there == 0) return;
    const std::size_t bytes = bytes_of(status);
    const MessageMemory memory = allocate_message(bytes);
    MPI_Request request;
    library_->call("the end", [&] {
      const Bytes size(bytes);
      return MPI_Imrecv(memory.get(), size.count(), size.type(), &message, &request);
    });
    library_->wait(request);
  }
}

/// Waits until no rank has an inbox any more, and then until no rank sees messages that nobody has
/// received.
void Connection::wait_for_all_to_end() {
  for (const bool has_inboxes : {true, false}) {
    MPI_Request request;
    library_->call("the end", [&] { return MPI_Ibarrier(all_, &request); });
    for (Patience patience; !library_->is_done(request); patience.wait()) {
      drop_leftovers();
      if (!has_inboxes) drop_unread();
    }
  }
  drop_unread();
}

}  // namespace goban::mpi
