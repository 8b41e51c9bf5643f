#pragma once
// Ways of halos between devices of different ranks of one machine.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "goban/backend/api.hpp"
#include "goban/base/communicator.hpp"
#include "goban/domain/message.hpp"
#include "goban/grid/patches.hpp"
#include "goban/grid/settings.hpp"
#include "goban/program/schedule.hpp"

namespace goban {

/// Where there is none, the host moves messages.
class PeerWays {
 public:
  PeerWays(std::shared_ptr<Communicator> communicator, const Patches& patches, Transport transport)
      : communicator_(std::move(communicator)), patches_(patches), transport_(transport) {}
  ~PeerWays();
  PeerWays(const PeerWays&) = delete;
  PeerWays& operator=(const PeerWays&) = delete;

  /// Ways for messages as large as those of this schedule, between devices that reach each other.
  /// Collective; nothing may be under way. Error (ExitCode::usage), on all ranks: peer is forced,
  /// and some of them do not reach each other.
  void open(const Schedule& schedule, const Slots& slots,
            const std::function<Executor&(int patch)>& executor);
  /// Null: by the host.
  PeerWay* find(PeerWay::End end, const HaloSide& halo) const;
  /// None of the rank's messages is moved by the host.
  bool carry_all() const;
  /// Ranks that halos go to, each with every way that some of them take.
  std::set<std::pair<int, Transport>> neighbors() const;
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
  bool is_on_this_machine(int rank) const;
  [[noreturn]] void refuse(int other, Executor& executor) const;

  std::shared_ptr<Communicator> communicator_;
  const Patches& patches_;
  Transport transport_;
  std::map<Key, Entry> entries_;
  bool is_used_ = false;  ///< by some rank: all take part in closing
};

/// Those of these ranks whose devices `executor` can write to. Both of a pair name each other.
/// Collective.
std::vector<int> ranks_reached(Communicator& ranks, Executor& executor,
                               const std::vector<int>& others);

/// Bytes of a message with all its pieces.
std::size_t most_bytes(const Operation& message, const Slots& slots,
                       HaloPrecision precision = HaloPrecision::full);

}  // namespace goban
