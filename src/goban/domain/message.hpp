#pragma once
// Messages of halos between ranks: where they go and how pieces lie in them.

#include <map>
#include <memory>
#include <tuple>

#include "goban/backend/api.hpp"
#include "goban/base/communicator.hpp"
#include "goban/grid/patches.hpp"

namespace goban {

/// Pieces of a message, one after another: dense, in the memory order of their field.
class MessageLayout {
 public:
  explicit MessageLayout(std::byte* memory) : memory_(memory) {}
  static std::size_t bytes_of(Index cells, std::size_t element_size);
  /// A place for the cells of `box`, to be read and written by their local indices.
  FieldBinding add(const Box& box, const std::array<int, 3>& order, std::size_t element_size);
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

/// One way for each halo that another rank sends or is sent, opened when first used. Both ends must
/// ask for the same number of bytes, in the same order.
class Messages {
 public:
  Messages(Communicator& communicator, const Patches& patches)
      : communicator_(communicator), patches_(patches) {}

  /// When patches have other ranks: all ways are opened anew.
  void close();
  /// For the halo on a side of `there`, which another rank has.
  Outbox& outbox(int there, int axis, Side side, std::size_t most_bytes);
  /// For the halo on a side of `here`, from `there`.
  Inbox& inbox(int here, int there, int axis, Side side, std::size_t most_bytes);
  /// The memory of a message, when `executor` may work on it.
  std::byte* reached(std::byte* message, std::size_t most_bytes, Executor& executor);

 private:
  /// Receiving patch, axis, side.
  using Way = std::tuple<int, int, Side>;
  template <class Box>
  struct End {
    std::unique_ptr<Box> box;
    std::size_t bytes = 0;
  };
  int tag(const Way& way) const;
  template <class Box, class Open>
  Box& open(End<Box>& end, const Way& way, std::size_t most_bytes, Open&& open_box);

  Communicator& communicator_;
  const Patches& patches_;
  std::map<Way, End<Outbox>> outboxes_;
  std::map<Way, End<Inbox>> inboxes_;
  /// What executors have been given to reach, as long as the boxes are open.
  std::map<std::pair<const std::byte*, const Executor*>, std::shared_ptr<void>> reached_;
};

}  // namespace goban
