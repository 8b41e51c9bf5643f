#pragma once
// Duplicates of an MPI communicator for goban's own messages, and the messages that are still under
// way in them.

#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "goban/base/message_memory.hpp"
#include "goban/domain/ranks/mpi/library.hpp"

namespace goban::mpi {

/// A communicator and its mailboxes share one connection.
class Connection {
 public:
  enum class End { sender, receiver };

  explicit Connection(MPI_Comm communicator);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Library& library() const { return *library_; }
  MPI_Comm all() const { return all_; }  ///< for collective calls and parcels
  MPI_Comm boxes() const { return boxes_; }

  /// Returns the MPI tag of the mailbox that is being opened. It changes from one mailbox to the
  /// next, so that messages for a closed one are not mistaken for messages of the next.
  int tag_of_next_box(int rank, int tag, End end);
  /// Keeps the memory of a closed mailbox as long as its request may still use it.
  void keep(MPI_Request request, MessageMemory memory) noexcept;
  /// Must be called if other ranks will not end regularly; the destructor then does not wait for
  /// them.
  void leave_open() { is_left_open_ = true; }

 private:
  struct Leftover {
    MPI_Request request;
    MessageMemory memory;
  };
  void drop_leftovers();
  void drop_unread();
  void wait_for_all_to_end();

  std::shared_ptr<Library> library_;
  MPI_Comm all_ = MPI_COMM_NULL, boxes_ = MPI_COMM_NULL;
  bool is_left_open_ = false;
  int tags_of_box_ = 1;  ///< the number of MPI tags for each tag of a mailbox
  std::mutex mutex_;
  std::map<std::tuple<int, int, End>, int> opened_;
  std::vector<Leftover> leftovers_;
};

}  // namespace goban::mpi
