#pragma once
// Ranks that run one program together: what they agree on and the messages they send.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "goban/base/message_memory.hpp"
#include "goban/base/types.hpp"

namespace goban {

/// Messages to one other rank, which takes them in this order. Not for several threads at once.
class Outbox {
 public:
  virtual ~Outbox();
  /// Memory of the next message, of as many bytes as the outbox was opened for; waits while all of
  /// it is under way.
  virtual std::byte* next() = 0;
  /// Sends the first `bytes` bytes of next(). Returns at once; the memory is not to be touched.
  virtual void send(std::size_t bytes) = 0;
};

/// Messages from one other rank. Not for several threads at once.
class Inbox {
 public:
  virtual ~Inbox();
  /// The next message; waits for it. Error (ExitCode::peer_lost): the other rank is gone.
  virtual std::span<const std::byte> next() = 0;
  /// Lets the memory of the message be used for a later one.
  virtual void release() = 0;
};

inline constexpr int most_tag = 32767;

/// Bytes for or from another rank.
struct Parcel {
  int rank = 0;
  std::vector<std::byte> bytes;
};

/// One rank's view of all of them. Every call is collective unless it says otherwise: each rank
/// makes it, and all make them in the same order.
class Communicator {
 public:
  virtual ~Communicator();
  virtual int rank() const = 0;  ///< 0 ... size() - 1; not collective
  virtual int size() const = 0;  ///< not collective
  /// Per rank, the number of the machine it runs on, counted from 0 in the order of ranks; not
  /// collective.
  virtual const std::vector<int>& nodes() const = 0;
  /// What connects them, as "Open MPI v4.1.4, thread level serialized"; not collective.
  virtual std::string description() const = 0;
  /// Messages may lie in memory of GPUs, by the word of what connects the ranks; not collective.
  virtual bool moves_device_memory() const { return false; }
  /// This rank ends early with this code, and nobody is to wait for it: waits of other ranks end
  /// with Error (ExitCode::peer_lost), or their processes do. Not collective.
  virtual void abandon(int /*exit_code*/) noexcept {}

  /// The same ranks with messages and tags of their own.
  virtual std::shared_ptr<Communicator> duplicate() = 0;

  virtual void barrier() = 0;
  /// What `root` has in `bytes` everybody has; as many bytes on every rank.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  /// Element by element over all ranks, as many elements on every rank. Sums wrap around.
  virtual void sum(std::span<std::uint64_t> values) = 0;
  virtual void minimum(std::span<std::int64_t> values) = 0;
  virtual void maximum(std::span<std::int64_t> values) = 0;
  /// Takes parcels to the ranks they name, which need not expect them; returns what came, in the
  /// order of ranks, of one rank in the order in which it gave them.
  virtual std::vector<Parcel> exchange(std::vector<Parcel> parcels) = 0;

  /// Both ends name the other's rank, and a tag of their own between the two, up to most_tag. Calls
  /// are not collective and do not wait for the other end. The n-th outbox of a tag leads to the
  /// n-th inbox. Each end says where its messages lie.
  virtual std::unique_ptr<Outbox> open_outbox(
      int rank, int tag, std::size_t most_bytes,
      const MessageAllocator& allocate = allocate_message) = 0;
  virtual std::unique_ptr<Inbox> open_inbox(
      int rank, int tag, std::size_t most_bytes,
      const MessageAllocator& allocate = allocate_message) = 0;
};

/// A program that runs alone.
std::shared_ptr<Communicator> self_communicator();

}  // namespace goban
