#pragma once
// Messages of halos between ranks: where they go and how pieces lie in them.

#include <compare>
#include <map>
#include <memory>

#include "goban/backend/api.hpp"
#include "goban/base/communicator.hpp"
#include "goban/base/message_memory.hpp"
#include "goban/grid/patches.hpp"
#include "goban/lowering/bindings.hpp"

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

/// Where messages lie.
enum class MessagesIn : std::uint8_t {
  host,   ///< in memory of the host, which executors are let reach
  device  ///< in the executor's own memory
};

/// Boxes for each halo that another rank sends or is sent, opened when first used. Both ends must
/// ask for the same number of bytes, in the same order.
class Messages {
 public:
  Messages(Communicator& communicator, const Patches& patches)
      : communicator_(communicator), patches_(patches) {}

  /// When patches have other ranks: all boxes are opened anew.
  void close();
  /// The outbox for a halo that another rank has, sent by `executor`.
  Outbox& outbox(const HaloSide& halo, std::size_t most_bytes, Executor& executor, MessagesIn in);
  /// The inbox for a halo of this rank, from patch `there`, received by `executor`.
  Inbox& inbox(const HaloSide& halo, int there, std::size_t most_bytes, Executor& executor,
               MessagesIn in);
  /// The memory of a message, when `executor` may work on it.
  std::byte* reached(std::byte* message, std::size_t most_bytes, Executor& executor);
  /// Memory of no message that `executor` may work on; the same each time.
  std::byte* scratch(std::size_t bytes, Executor& executor);

 private:
  template <class Box>
  struct End {
    std::unique_ptr<Box> box;
    std::size_t bytes = 0;
    MessagesIn in = MessagesIn::host;
  };
  int tag(const HaloSide& halo) const;
  template <class Box, class Open>
  Box& open(End<Box>& end, const HaloSide& halo, std::size_t most_bytes, Executor& executor,
            MessagesIn in, Open&& open_box);

  Communicator& communicator_;
  const Patches& patches_;
  std::map<HaloSide, End<Outbox>> outboxes_;
  std::map<HaloSide, End<Inbox>> inboxes_;
  MessageMemory scratch_;
  std::size_t scratch_bytes_ = 0;
  struct Reached {
    std::shared_ptr<void> memory;
    std::size_t bytes = 0;
  };
  /// What executors have been given to reach, as long as the boxes are open.
  std::map<std::pair<const std::byte*, const Executor*>, Reached> reached_;
};

}  // namespace goban
