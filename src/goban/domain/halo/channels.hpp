#pragma once
// Halos between ranks: which channel each takes, and what it needs for that.

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
#include "goban/domain/halo/channel.hpp"
#include "goban/domain/halo/message.hpp"
#include "goban/grid/patches.hpp"
#include "goban/grid/settings.hpp"
#include "goban/lowering/command.hpp"
#include "goban/program/schedule.hpp"

namespace goban {

/// One end of the channel of a halo.
struct ChannelEnd {
  Transport transport = Transport::host;  ///< never automatic
  int number = 0;                         ///< among those of this rank
  std::unique_ptr<PeerPath> peer;         ///< the path of Transport::peer
  std::shared_ptr<std::byte> memory;      ///< the message on the device, with Transport::nccl
  std::size_t bytes = 0;                  ///< bytes of the largest message
  std::size_t rounded_bytes = 0;          ///< bytes of the same message as it travels
};

/// Both ends take the same channel.
class HaloChannels {
 public:
  using ExecutorOf = std::function<Executor&(int patch)>;

  HaloChannels(std::shared_ptr<Communicator> communicator, const Patches& patches,
               Messages& messages, const Settings& settings);
  ~HaloChannels();
  HaloChannels(const HaloChannels&) = delete;
  HaloChannels& operator=(const HaloChannels&) = delete;

  /// Channels for messages as large as those of this schedule. Collective; nothing may be under
  /// way. Error (ExitCode::usage), on all ranks: one is forced that some cannot take.
  void open(const Schedule& schedule, const Slots& slots, const ExecutorOf& executor);
  /// The end of the channel that this message takes; its schedule was opened.
  const ChannelEnd& find(const HaloMessage& message) const {
    return ends_.at({message.end, message.halo});
  }
  /// What moves messages by this transport.
  HaloChannel& by(Transport transport) const { return *kinds_.at(transport); }
  std::map<std::pair<MessageEnd, HaloSide>, ChannelBinding> bindings() const;
  /// With Transport::nccl: the group of all devices that compute a patch, one a rank, and the
  /// member that computes the patches of a rank.
  DeviceGroup& group() const { return *group_; }
  int member_of(int rank) const;
  /// Devices hand over all messages, of all ranks, in such a way that it can be recorded.
  bool can_be_recorded() const { return can_be_recorded_; }
  /// How often channels have come or gone, the same on every rank: work is made for those there
  /// are.
  int changes() const { return changes_; }
  /// Axes along which all halos that come from other ranks have peer channels.
  const std::array<bool, 3>& are_peers() const { return are_peers_; }
  /// Both ends of all peer paths that this rank's patches have along these axes, by patch.
  std::vector<std::pair<int, PeerPath*>> peers(const std::array<bool, 3>& axes) const;
  /// Ranks that halos go to, each with every transport that some of them take.
  std::set<std::pair<int, Transport>> neighbors() const;
  /// Collective; nothing may be under way.
  void close();

 private:
  using Key = std::pair<MessageEnd, HaloSide>;
  using Ends = std::map<Key, const Operation*>;  ///< each with a message
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
  std::map<Transport, std::unique_ptr<HaloChannel>> kinds_;
  HaloPrecision precision_;
  std::map<Key, ChannelEnd> ends_;
  std::shared_ptr<DeviceGroup> group_;
  std::vector<int> members_;   ///< ranks with a device in it; none: it was not asked for
  std::string group_refusal_;  ///< why there is none
  bool is_used_ = false;       ///< by some rank: all take part in closing
  bool can_be_recorded_ = false;
  int changes_ = 0;
  std::array<bool, 3> are_peers_{};
};

}  // namespace goban
