#pragma once
// Ways of halos between ranks: which one each takes, and what it needs for that.

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/base/communicator.hpp"
#include "goban/domain/message.hpp"
#include "goban/grid/patches.hpp"
#include "goban/grid/settings.hpp"
#include "goban/program/schedule.hpp"

namespace goban {

/// One end of a way.
struct HaloWay {
  Transport transport = Transport::host;  ///< never automatic
  std::unique_ptr<PeerWay> peer;          ///< of Transport::peer
  std::shared_ptr<std::byte> memory;      ///< of Transport::nccl: the message, on the device
  std::size_t bytes = 0;                  ///< of the largest message
};

/// Both ends take the same way.
class HaloWays {
 public:
  using End = PeerWay::End;
  using ExecutorOf = std::function<Executor&(int patch)>;

  HaloWays(std::shared_ptr<Communicator> communicator, const Patches& patches, Transport transport)
      : communicator_(std::move(communicator)), patches_(patches), transport_(transport) {}
  ~HaloWays();
  HaloWays(const HaloWays&) = delete;
  HaloWays& operator=(const HaloWays&) = delete;

  /// Ways for messages as large as those of this schedule. Collective; nothing may be under way.
  /// Error (ExitCode::usage), on all ranks: one is forced that some cannot take.
  void open(const Schedule& schedule, const Slots& slots, const ExecutorOf& executor);
  /// Of a halo in some schedule that was opened.
  const HaloWay& find(End end, const HaloSide& halo) const { return ways_.at({end, halo}); }
  /// Of Transport::nccl: all devices that compute a patch, one a rank, and who of them computes
  /// that of a rank.
  DeviceGroup& group() const { return *group_; }
  int member_of(int rank) const;
  /// Devices hand over all messages, of all ranks, in such a way that it can be recorded.
  bool can_be_recorded() const { return can_be_recorded_; }
  /// How often ways have gone that work may have been recorded with, the same on every rank.
  int replacements() const { return replacements_; }
  /// Axes along which all halos that come from other ranks have peer ways.
  const std::array<bool, 3>& are_peers() const { return are_peers_; }
  /// Both ends of all of them that this rank's patches have along these axes, by patch.
  std::vector<std::pair<int, PeerWay*>> peers(const std::array<bool, 3>& axes) const;
  /// Ranks that halos go to, each with every way that some of them take.
  std::set<std::pair<int, Transport>> neighbors() const;
  /// Collective; nothing may be under way.
  void close();

 private:
  using Key = std::pair<End, HaloSide>;
  using Ends = std::map<Key, const Operation*>;  ///< of ways, each with a message
  struct Note;

  int neighbor_of(const HaloSide& halo) const;
  int other_rank(const Key& key) const;
  bool is_on_this_machine(int rank) const;
  bool may_be(Transport transport) const;
  Ends replace(const Schedule& schedule, const Slots& slots);
  Ends left(const Ends& all) const;
  bool is_asked_for(const Ends& ends, const ExecutorOf& executor) const;
  void connect_peers(const Ends& ends, const ExecutorOf& executor);
  void join_group(const Ends& ends, const ExecutorOf& executor);
  void ask_mpi(const Ends& ends, const ExecutorOf& executor);
  std::string refusal(int other, Executor& executor) const;

  std::shared_ptr<Communicator> communicator_;
  const Patches& patches_;
  Transport transport_;
  std::map<Key, HaloWay> ways_;
  std::shared_ptr<DeviceGroup> group_;
  std::vector<int> members_;   ///< ranks with a device in it; none: it was not asked for
  std::string group_refusal_;  ///< why there is none
  bool is_used_ = false;       ///< by some rank: all take part in closing
  bool can_be_recorded_ = false;
  int replacements_ = 0;
  std::array<bool, 3> are_peers_{};
};

/// Bytes of a message with all its pieces.
std::size_t most_bytes(const Operation& message, const Slots& slots,
                       HaloPrecision precision = HaloPrecision::full);

}  // namespace goban
