#include "goban/domain/halo/channels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <string>

#include "goban/base/agreement.hpp"
#include "goban/domain/halo/device_reach.hpp"
#include "goban/domain/halo/group_channel.hpp"
#include "goban/domain/halo/host_channel.hpp"
#include "goban/domain/halo/peer_channel.hpp"
#include "goban/domain/halo/rounding.hpp"

namespace goban {
namespace {

MessageEnd opposite(MessageEnd end) {
  return end == MessageEnd::sends ? MessageEnd::receives : MessageEnd::sends;
}

/// The bytes of a message with all its pieces; it has no more.
std::size_t most_bytes(const Operation& message, const Slots& slots, HaloPrecision precision) {
  std::size_t bytes = 0;
  for (const auto& piece : message.pieces) {
    const ElementType type = type_on_the_way(slots.field(piece.what.slot).type, precision);
    bytes += MessageLayout::bytes_of(piece.target.volume(), size_of(type));
  }
  return bytes;
}

}  // namespace

/// What a rank tells about a way to the rank at its other end; followed by a handle.
struct HaloChannels::Note {
  MessageEnd end;  ///< the end that the sender of the note has
  HaloSide halo;
  bool is_connected;

  Key mine() const { return {opposite(end), halo}; }
};

HaloChannels::HaloChannels(std::shared_ptr<Communicator> communicator, const Patches& patches,
                           Messages& messages, const Settings& settings)
    : communicator_(std::move(communicator)),
      patches_(patches),
      transport_(settings.transport),
      precision_(settings.halo_precision) {
  kinds_[Transport::peer] = std::make_unique<PeerChannel>(*this);
  kinds_[Transport::nccl] = std::make_unique<GroupChannel>(*this);
  for (const auto& [transport, in] :
       {std::pair{Transport::mpi, MessagesIn::device}, {Transport::host, MessagesIn::host}}) {
    kinds_[transport] = std::make_unique<HostChannel>(*this, messages, in, precision_);
  }
}

std::map<std::pair<MessageEnd, HaloSide>, ChannelBinding> HaloChannels::bindings() const {
  std::map<std::pair<MessageEnd, HaloSide>, ChannelBinding> all;
  for (const auto& [key, end] : ends_) all[key] = {end.transport, end.number};
  return all;
}

HaloChannels::~HaloChannels() {
  if (!is_used_) return;
  if (std::uncaught_exceptions() == 0) {
    try {
      close();
      return;
    } catch (...) {  // another rank is gone
    }
  }
  // The others may still be at it.
  for (auto& [key, path] : ends_) path.peer.release();
  new std::shared_ptr<DeviceGroup>(std::move(group_));
}

void HaloChannels::close() {
  communicator_->barrier();
  for (auto& [key, path] : ends_) {
    if (path.peer) path.peer->disconnect();
  }
  communicator_->barrier();
  ends_.clear();
  are_peers_ = {};
  group_.reset();
  members_.clear();
  group_refusal_.clear();
  is_used_ = false;
  ++changes_;
}

bool HaloChannels::is_on_this_machine(int rank) const {
  const auto& machines = communicator_->nodes();
  return machines[static_cast<std::size_t>(rank)] ==
         machines[static_cast<std::size_t>(communicator_->rank())];
}

bool HaloChannels::may_be(Transport transport) const {
  return transport_ == transport || transport_ == Transport::automatic;
}

int HaloChannels::other_rank(const Key& key) const {
  const auto& [end, halo] = key;
  return patches_.rank_of(end == MessageEnd::sends ? halo.patch : neighbor_of(halo));
}

/// The patch next to it, whose cells it holds; of values, the one that had them.
int HaloChannels::neighbor_of(const HaloSide& halo) const {
  if (halo.values_from >= 0) return halo.values_from;
  const PatchGeometry patch = patches_.geometry(halo.patch);
  const auto& sides = patch.neighbor[static_cast<std::size_t>(halo.axis)];
  return sides[static_cast<std::size_t>(index_of(halo.side))];
}

int HaloChannels::member_of(int rank) const {
  return static_cast<int>(std::lower_bound(members_.begin(), members_.end(), rank) -
                          members_.begin());
}

/// What there is no way for, or one for smaller messages, which is closed: by the host as yet.
HaloChannels::Ends HaloChannels::replace(const Schedule& schedule, const Slots& slots) {
  Ends larger;
  std::array<std::int64_t, 1> replaces{};
  for (const Operation& op : schedule.operations) {
    const bool sends = op.kind == Operation::Kind::send;
    if (!sends && op.kind != Operation::Kind::receive) continue;
    const Key key{sends ? MessageEnd::sends : MessageEnd::receives,
                  {sends ? op.other_patch : op.patch, op.axis, op.side,
                   !op.moves ? -1
                   : sends   ? op.patch
                             : op.other_patch}};
    ChannelEnd& path = ends_[key];
    const std::size_t bytes = most_bytes(op, slots, HaloPrecision::full);
    if (bytes <= path.bytes) continue;
    replaces[0] = 1;
    if (path.bytes == 0) path.number = static_cast<int>(ends_.size()) - 1;
    path.bytes = bytes;
    path.rounded_bytes = most_bytes(op, slots, precision_);
    larger[key] = &op;
    if (path.peer) path.peer->disconnect();
  }
  communicator_->maximum(replaces);  // and nobody uses what is replaced
  changes_ += static_cast<int>(replaces[0]);
  for (const auto& [key, op] : larger) {
    ChannelEnd& path = ends_[key];
    path.peer.reset();
    path.memory.reset();
    path.transport = Transport::host;
  }
  return larger;
}

HaloChannels::Ends HaloChannels::left(const Ends& all) const {
  Ends left = all;
  std::erase_if(left,
                [&](const auto& one) { return ends_.at(one.first).transport != Transport::host; });
  return left;
}

/// Whether, on some rank, an executor at these ends has memory of its own.
bool HaloChannels::is_asked_for(const Ends& ends, const ExecutorOf& executor) const {
  std::array<std::int64_t, 1> asks{std::any_of(ends.begin(), ends.end(), [&](const auto& end) {
    return executor(end.second->patch).traits().has_own_memory;
  })};
  communicator_->maximum(asks);
  return asks[0] > 0;
}

void HaloChannels::connect_peers(const Ends& ends, const ExecutorOf& executor) {
  std::vector<Parcel> parcels;
  const auto tell = [&](const Key& key, bool is_connected, std::span<const std::byte> handle) {
    const Note note{key.first, key.second, is_connected};
    Parcel parcel{other_rank(key), std::vector<std::byte>(sizeof(note) + handle.size())};
    std::memcpy(parcel.bytes.data(), &note, sizeof(note));
    std::copy(handle.begin(), handle.end(), parcel.bytes.begin() + sizeof(note));
    parcels.push_back(std::move(parcel));
  };
  const auto note_in = [](const Parcel& parcel) {
    Note note;
    std::memcpy(&note, parcel.bytes.data(), sizeof(note));
    return note;
  };
  for (const auto& [key, op] : ends) {
    if (!is_on_this_machine(other_rank(key))) continue;
    ChannelEnd& path = ends_[key];
    PeerDevices* const peers = executor(op->patch).peers();
    if (peers) path.peer = peers->open_path(path_end(key.first), path.bytes);
    if (path.peer) tell(key, false, path.peer->handle());
  }
  const auto handles = communicator_->exchange(std::move(parcels));
  parcels.clear();
  for (const Parcel& parcel : handles) {
    const auto at = ends_.find(note_in(parcel).mine());
    if (at == ends_.end() || !at->second.peer) continue;
    const bool is_connected =
        at->second.peer->connect(std::span(parcel.bytes).subspan(sizeof(Note)));
    tell(at->first, is_connected, {});
    if (!is_connected) at->second.peer.reset();
  }
  std::vector<Key> connected;
  for (const Parcel& parcel : communicator_->exchange(std::move(parcels))) {
    const Note note = note_in(parcel);
    if (note.is_connected) connected.push_back(note.mine());
  }
  for (const auto& [key, op] : ends) {
    ChannelEnd& path = ends_[key];
    if (std::find(connected.begin(), connected.end(), key) == connected.end()) path.peer.reset();
    if (path.peer) path.transport = Transport::peer;
  }
}

/// All of them, or none. The group is that of all ranks that have patches: it stays as long as
/// these do. Members that meet for the first time may wait for each other's hosts: they do so now.
void HaloChannels::join_group(const Ends& ends, const ExecutorOf& executor) {
  if (members_.empty()) {
    std::set<Executor*> mine;
    for (const auto& patch : patches_) mine.insert(&executor(patch.patch));
    auto joined = join_devices(*communicator_, {mine.begin(), mine.end()});
    group_ = std::move(joined.group);
    members_ = std::move(joined.members);
    group_refusal_ = std::move(joined.refusal);
  }
  if (!group_refusal_.empty()) return;
  std::vector<Transfer> all;
  try {
    agree(*communicator_, [&] {
      for (const auto& [key, op] : ends) {
        ChannelEnd& path = ends_[key];
        path.memory = executor(op->patch).allocate(path.bytes);
        path.transport = Transport::nccl;
        all.push_back(
            {path_end(key.first), member_of(other_rank(key)), path.memory.get(), path.bytes});
      }
    });
  } catch (const Error&) {  // there is no room: as if nobody had asked
    for (const auto& [key, op] : ends) ends_[key] = {};
    throw;
  }
  if (all.empty()) return;
  executor(ends.begin()->second->patch).grouping()->transfer(*group_, all, {})->wait();
}

/// Ranks are asked about the first device of each; what others there are is of its kind.
void HaloChannels::ask_mpi(const Ends& ends, const ExecutorOf& executor) {
  std::set<int> others;
  Executor* mine = nullptr;
  bool are_devices = true;
  for (const auto& [key, op] : ends) {
    others.insert(other_rank(key));
    Executor& its = executor(op->patch);
    if (!mine) mine = &its;
    are_devices = are_devices && its.traits().has_own_memory;
  }
  const std::vector<int> reached = ranks_reached_by_mpi(
      *communicator_, are_devices ? mine : nullptr, {others.begin(), others.end()});
  for (const auto& [key, op] : ends) {
    const bool is_reached =
        std::find(reached.begin(), reached.end(), other_rank(key)) != reached.end();
    if (is_reached) ends_[key].transport = Transport::mpi;
  }
}

/// Why this rank and another cannot take the transport that is forced.
std::string HaloChannels::refusal(int other, Executor& executor) const {
  const int mine = communicator_->rank();
  const std::string both =
      std::to_string(std::min(mine, other)) + " and " + std::to_string(std::max(mine, other));
  if (!executor.traits().has_own_memory) return "what computes is " + executor.name();
  if (transport_ == Transport::nccl) return group_refusal_;
  if (transport_ == Transport::mpi) {
    return executor.device_memory() && !communicator_->moves_device_memory()
               ? communicator_->description() + " takes no memory of GPUs"
               : "ranks " + both + " did not get what they sent each other";
  }
  return !is_on_this_machine(other) ? "ranks " + both + " are on different machines"
                                    : "ranks " + both +
                                          " share a GPU, or theirs do not reach each other's "
                                          "memory";
}

void HaloChannels::open(const Schedule& schedule, const Slots& slots, const ExecutorOf& executor) {
  if (communicator_->size() == 1) return;
  const Ends all = replace(schedule, slots);
  if (may_be(Transport::peer)) connect_peers(all, executor);
  for (const Transport transport : {Transport::nccl, Transport::mpi}) {
    const Ends rest = left(all);
    if (!may_be(transport) || !is_asked_for(rest, executor)) continue;
    transport == Transport::nccl ? join_group(rest, executor) : ask_mpi(rest, executor);
  }
  std::array<std::int64_t, 5> found{};
  for (const auto& [key, path] : ends_) {
    if (path.transport != Transport::host) found[3] = 1;
    if (!by(path.transport).can_be_recorded()) found[4] = 1;
    const bool is_halo = key.second.values_from < 0;
    if (is_halo && path.transport != Transport::peer) {
      found[static_cast<std::size_t>(key.second.axis)] = 1;
    }
  }
  communicator_->maximum(found);
  is_used_ = found[3] > 0;
  can_be_recorded_ = found[4] == 0;
  for (std::size_t axis = 0; axis < 3; ++axis) are_peers_[axis] = found[axis] == 0;
  if (transport_ == Transport::automatic || transport_ == Transport::host) return;
  agree(*communicator_, [&] {
    for (const auto& [key, op] : left(all)) {
      throw Error(ExitCode::usage,
                  std::string("the transport ") + name_of(transport_) + " is refused",
                  refusal(other_rank(key), executor(op->patch)), "use the transport host or auto");
    }
  });
}

std::vector<std::pair<int, PeerPath*>> HaloChannels::peers(const std::array<bool, 3>& axes) const {
  std::vector<std::pair<int, PeerPath*>> all;
  for (const auto& [key, path] : ends_) {
    const auto& [end, halo] = key;
    if (!path.peer || !axes[static_cast<std::size_t>(halo.axis)] || halo.values_from >= 0) continue;
    all.emplace_back(end == MessageEnd::receives ? halo.patch : neighbor_of(halo), path.peer.get());
  }
  return all;
}

std::set<std::pair<int, Transport>> HaloChannels::neighbors() const {
  std::set<std::pair<int, Transport>> all;
  for (const auto& [key, path] : ends_) all.emplace(other_rank(key), path.transport);
  return all;
}

}  // namespace goban
