#pragma once
// Ways of halos between devices of different ranks of one machine.

#include <functional>
#include <map>
#include <memory>
#include <tuple>

#include "goban/backend/api.hpp"
#include "goban/base/communicator.hpp"
#include "goban/grid/patches.hpp"
#include "goban/program/schedule.hpp"

namespace goban {

/// What a message is for: the halo on one side of a patch.
using HaloSide = std::tuple<int, int, Side>;  ///< patch, axis, side

/// Where there is none, the host moves messages.
class PeerWays {
 public:
  PeerWays(std::shared_ptr<Communicator> communicator, const Patches& patches)
      : communicator_(std::move(communicator)), patches_(patches) {}
  ~PeerWays();
  PeerWays(const PeerWays&) = delete;
  PeerWays& operator=(const PeerWays&) = delete;

  /// Ways for messages as large as those of this schedule, between devices that reach each other.
  /// Collective; nothing may be under way.
  void open(const Schedule& schedule, const Slots& slots,
            const std::function<Executor&(int patch)>& executor);
  /// Null: by the host.
  PeerWay* find(PeerWay::End end, const HaloSide& halo) const;
  /// None of the rank's messages is moved by the host.
  bool carry_all() const;
  /// Collective; nothing may be under way.
  void close();

 private:
  struct Entry {
    std::unique_ptr<PeerWay> way;
    std::size_t bytes = 0;
  };
  using Key = std::pair<PeerWay::End, HaloSide>;
  struct Note;

  int other_rank(const Key& key) const;

  std::shared_ptr<Communicator> communicator_;
  const Patches& patches_;
  std::map<Key, Entry> entries_;
  bool is_used_ = false;  ///< by some rank: all take part in closing
};

/// Bytes of a message with all its pieces.
std::size_t most_bytes(const Operation& message, const Slots& slots);

}  // namespace goban
