#include "goban/domain/peer_ways.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>

#include "goban/base/agreement.hpp"
#include "goban/domain/rounding.hpp"

namespace goban {
namespace {

using End = PeerWay::End;

End opposite(End end) { return end == End::sends ? End::receives : End::sends; }

}  // namespace

std::size_t most_bytes(const Operation& message, const Slots& slots, HaloPrecision precision) {
  std::size_t bytes = 0;
  for (const auto& piece : message.pieces) {
    const ElementType type = type_on_the_way(slots.field(piece.what.slot).type, precision);
    bytes += MessageLayout::bytes_of(piece.target.volume(), size_of(type));
  }
  return bytes;
}

/// About a way, for the rank at its other end; followed by a handle.
struct PeerWays::Note {
  End end;  ///< of the sender of the note
  int patch, axis;
  Side side;
  bool is_connected;

  Key mine() const { return {opposite(end), HaloSide{patch, axis, side}}; }
};

PeerWays::~PeerWays() {
  if (!is_used_) return;
  if (std::uncaught_exceptions() == 0) {
    close();
    return;
  }
  for (auto& [key, entry] : entries_) entry.way.release();  // the others may still be at it
}

void PeerWays::close() {
  communicator_->barrier();
  for (auto& [key, entry] : entries_) {
    if (entry.way) entry.way->disconnect();
  }
  communicator_->barrier();
  entries_.clear();
  is_used_ = false;
}

bool PeerWays::is_on_this_machine(int rank) const {
  const auto& machines = communicator_->nodes();
  return machines[static_cast<std::size_t>(rank)] ==
         machines[static_cast<std::size_t>(communicator_->rank())];
}

void PeerWays::refuse(int other, Executor& executor) const {
  const int mine = communicator_->rank();
  const std::string why = !is_on_this_machine(other) ? "they are on different machines"
                          : !executor.device_memory()
                              ? "what computes is " + executor.name()
                              : "they share a GPU, or theirs do not reach each other's memory";
  throw Error(ExitCode::usage,
              "ranks " + std::to_string(std::min(mine, other)) + " and " +
                  std::to_string(std::max(mine, other)) + " cannot write to each other's GPUs",
              why, "use the transport host or auto");
}

int PeerWays::other_rank(const Key& key) const {
  const auto& [end, halo] = key;
  const auto& [patch, axis, side] = halo;
  if (end == End::sends) return patches_.rank_of(patch);
  const auto& sides = patches_[patch].neighbor[static_cast<std::size_t>(axis)];
  return patches_.rank_of(sides[static_cast<std::size_t>(index_of(side))]);
}

void PeerWays::open(const Schedule& schedule, const Slots& slots,
                    const std::function<Executor&(int patch)>& executor) {
  if (communicator_->size() == 1) return;
  std::vector<Parcel> parcels;
  const auto tell = [&](const Key& key, bool is_connected, std::span<const std::byte> handle) {
    const auto& [patch, axis, side] = key.second;
    const Note note{key.first, patch, axis, side, is_connected};
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
  std::map<Key, const Operation*> larger;  // than what there is
  for (const Operation& op : schedule.operations) {
    const bool sends = op.kind == Operation::Kind::send;
    if (!sends && op.kind != Operation::Kind::receive) continue;
    const Key key{sends ? End::sends : End::receives,
                  {sends ? op.other_patch : op.patch, op.axis, op.side}};
    Entry& entry = entries_[key];
    const std::size_t bytes = most_bytes(op, slots);
    if (bytes <= entry.bytes) continue;
    entry.bytes = bytes;
    larger[key] = &op;
    if (entry.way) entry.way->disconnect();
  }
  communicator_->barrier();  // nobody uses what is replaced
  for (const auto& [key, op] : larger) {
    Entry& entry = entries_[key];
    entry.way.reset();
    if (transport_ == Transport::host || !is_on_this_machine(other_rank(key))) continue;
    entry.way = executor(op->patch).open_way(key.first, entry.bytes);
    if (entry.way) tell(key, false, entry.way->handle());
  }
  const auto handles = communicator_->exchange(std::move(parcels));
  parcels.clear();
  for (const Parcel& parcel : handles) {
    const auto at = entries_.find(note_in(parcel).mine());
    if (at == entries_.end() || !at->second.way) continue;
    const bool is_connected =
        at->second.way->connect(std::span(parcel.bytes).subspan(sizeof(Note)));
    tell(at->first, is_connected, {});
    if (!is_connected) at->second.way.reset();
  }
  std::vector<Key> connected;
  for (const Parcel& parcel : communicator_->exchange(std::move(parcels))) {
    const Note note = note_in(parcel);
    if (note.is_connected) connected.push_back(note.mine());
  }
  for (const auto& [key, op] : larger) {
    if (std::find(connected.begin(), connected.end(), key) == connected.end()) {
      entries_[key].way.reset();
    }
  }
  std::array<std::int64_t, 1> ways{
      std::count_if(entries_.begin(), entries_.end(),
                    [](const auto& entry) { return entry.second.way != nullptr; })};
  communicator_->maximum(ways);
  is_used_ = ways[0] > 0;
  if (transport_ != Transport::peer) return;
  agree(*communicator_, [&] {
    for (const auto& [key, op] : larger) {
      if (!entries_[key].way) refuse(other_rank(key), executor(op->patch));
    }
  });
}

std::set<std::pair<int, Transport>> PeerWays::neighbors() const {
  std::set<std::pair<int, Transport>> all;
  for (const auto& [key, entry] : entries_) {
    all.emplace(other_rank(key), entry.way ? Transport::peer : Transport::host);
  }
  return all;
}

PeerWay* PeerWays::find(End end, const HaloSide& halo) const {
  const auto at = entries_.find({end, halo});
  return at == entries_.end() ? nullptr : at->second.way.get();
}

bool PeerWays::carry_all() const {
  return std::all_of(entries_.begin(), entries_.end(),
                     [](const auto& entry) { return entry.second.way != nullptr; });
}

std::vector<int> ranks_reached(Communicator& ranks, Executor& executor,
                               const std::vector<int>& others) {
  constexpr std::size_t some_bytes = 64;
  std::vector<std::unique_ptr<PeerWay>> ways;
  std::vector<Parcel> parcels;
  for (const int other : others) {
    auto way = executor.open_way(End::receives, some_bytes);
    if (!way) continue;
    parcels.push_back({other, way->handle()});
    ways.push_back(std::move(way));
  }
  std::vector<int> reached;
  for (const Parcel& parcel : ranks.exchange(std::move(parcels))) {
    const auto way = executor.open_way(End::sends, some_bytes);
    if (!way || !way->connect(parcel.bytes)) continue;
    reached.push_back(parcel.rank);
    way->disconnect();
  }
  ranks.barrier();  // nobody has the memory of `ways` open
  return reached;
}

}  // namespace goban
