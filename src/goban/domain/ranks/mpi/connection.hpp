#pragma once
// Our own duplicates of an MPI communicator, and what is still under way in them.

#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "goban/base/message_memory.hpp"
#include "goban/domain/ranks/mpi/library.hpp"

namespace goban::mpi {

/// Held by a communicator and its boxes.
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

  /// The MPI tag of the box that is opened now. It changes from box to box, so that messages for a
  /// closed one are not taken for those of the next.
  int tag_of_next_box(int rank, int tag, End end);
  /// Memory of a closed box with a request, if it has one, that may still use it.
  void keep(MPI_Request request, MessageMemory memory) noexcept;
  /// Other ranks will not come to the end.
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
  int tags_of_box_ = 1;  ///< as many MPI tags has the tag of a box
  std::mutex mutex_;
  std::map<std::tuple<int, int, End>, int> opened_;
  std::vector<Leftover> leftovers_;
};

}  // namespace goban::mpi
