#include "goban/domain/halo/device_reach.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <span>
#include <sstream>

#include "goban/base/activity.hpp"
#include "goban/base/agreement.hpp"

namespace goban {
namespace {

using End = PeerPath::End;

void write(Executor& executor, std::byte* to, const std::vector<std::byte>& bytes) {
  DeviceMemory* device = executor.device_memory();
  if (device) return device->upload(to, bytes.data(), bytes.size());
  std::memcpy(to, bytes.data(), bytes.size());
}

std::vector<std::byte> read(Executor& executor, std::span<const std::byte> from) {
  std::vector<std::byte> bytes(from.size());
  DeviceMemory* device = executor.device_memory();
  if (device) {
    device->download(bytes.data(), from.data(), bytes.size());
  } else {
    std::memcpy(bytes.data(), from.data(), bytes.size());
  }
  return bytes;
}

/// What one rank sends another to try their way.
std::vector<std::byte> trial(int from, int to, std::size_t bytes) {
  std::vector<std::byte> message(bytes);
  std::size_t value = bytes + 31 * static_cast<std::size_t>(from) + static_cast<std::size_t>(to);
  for (auto& byte : message) byte = static_cast<std::byte>((value = value * 5 + 3) >> 4);
  return message;
}

/// Ranks among `others` that say yes to this one, which says yes to `willing`.
std::vector<int> both_willing(Communicator& ranks, const std::vector<int>& willing) {
  std::vector<Parcel> parcels;
  for (const int other : willing) parcels.push_back({other, {}});
  std::vector<int> both;
  for (const Parcel& parcel : ranks.exchange(std::move(parcels))) {
    if (std::find(willing.begin(), willing.end(), parcel.rank) != willing.end()) {
      both.push_back(parcel.rank);
    }
  }
  return both;
}

/// What every rank says, on every rank.
std::vector<std::string> said_by_all(Communicator& ranks, const std::string& mine) {
  std::array<std::int64_t, 1> longest{static_cast<std::int64_t>(mine.size())};
  ranks.maximum(longest);
  const auto room = static_cast<std::size_t>(longest[0]) + 1;
  std::string all(room * static_cast<std::size_t>(ranks.size()), '\0');
  const auto bytes = std::as_bytes(std::span(mine));
  for (const Parcel& parcel : ranks.exchange({{0, {bytes.begin(), bytes.end()}}})) {
    std::memcpy(all.data() + room * static_cast<std::size_t>(parcel.rank), parcel.bytes.data(),
                parcel.bytes.size());
  }
  ranks.broadcast(std::as_writable_bytes(std::span(all)), 0);
  std::vector<std::string> said;
  for (std::size_t at = 0; at < all.size(); at += room) said.emplace_back(all.c_str() + at);
  return said;
}

std::string text_of(const std::vector<Executor*>& mine) {
  if (mine.empty()) return "";
  const DeviceGrouping* const member = mine.front()->grouping();
  GroupCard card =
      member ? member->group_card() : GroupCard{"what computes is " + mine.front()->name(), {}, {}};
  if (mine.size() > 1 && card.refusal.empty()) {
    card.refusal = "a rank computes on " + std::to_string(mine.size()) + " devices, one may join";
  }
  return card.device + "\n" + card.library + "\n" + card.refusal;
}

GroupCard card_in(const std::string& text) {
  GroupCard card;
  std::istringstream lines(text);
  std::getline(lines, card.device);
  std::getline(lines, card.library);
  std::getline(lines, card.refusal);
  return card;
}

/// Why these cannot be one group.
std::string refusal_of(const std::map<int, GroupCard>& cards) {
  std::map<std::string, int> rank_of_device;
  const auto& [first, other] = *cards.begin();
  for (const auto& [rank, card] : cards) {
    if (!card.refusal.empty()) return card.refusal;
    const auto [at, is_new] = rank_of_device.try_emplace(card.device, rank);
    if (!is_new) {
      return "ranks " + std::to_string(at->second) + " and " + std::to_string(rank) +
             " share a GPU";
    }
    if (card.library != other.library) {
      return "rank " + std::to_string(first) + " has " + other.library + ", rank " +
             std::to_string(rank) + " " + card.library;
    }
  }
  return "";
}

}  // namespace

std::vector<int> ranks_reached(Communicator& ranks, Executor& executor,
                               const std::vector<int>& others) {
  constexpr std::size_t some_bytes = 64;
  std::vector<std::unique_ptr<PeerPath>> paths;
  std::vector<Parcel> parcels;
  const auto open = [&](End end) {
    return executor.peers() ? executor.peers()->open_path(end, some_bytes) : nullptr;
  };
  for (const int other : others) {
    auto path = open(End::receives);
    if (!path) continue;
    parcels.push_back({other, path->handle()});
    paths.push_back(std::move(path));
  }
  std::vector<int> reached;
  for (const Parcel& parcel : ranks.exchange(std::move(parcels))) {
    const auto path = open(End::sends);
    if (!path || !path->connect(parcel.bytes)) continue;
    reached.push_back(parcel.rank);
    path->disconnect();
  }
  ranks.barrier();  // nobody has the memory of `ways` open
  return reached;
}

std::vector<int> ranks_reached_by_mpi(Communicator& ranks, Executor* executor,
                                      const std::vector<int>& others) {
  constexpr std::array<std::size_t, 2> sizes{256, std::size_t{256} << 10};  // at once, when asked
  const bool is_able = executor && executor->traits().has_own_memory &&
                       (!executor->device_memory() || ranks.moves_device_memory());
  std::vector<int> working = both_willing(ranks, is_able ? others : std::vector<int>{});
  struct Boxes {
    int rank;
    std::unique_ptr<Outbox> out;
    std::unique_ptr<Inbox> in;
  };
  std::vector<Boxes> all;
  const auto allocate = [&](std::size_t bytes) { return executor->allocate(bytes); };
  for (const int other : working) {
    all.push_back({other, ranks.open_outbox(other, most_tag, sizes.back(), allocate),
                   ranks.open_inbox(other, most_tag, sizes.back(), allocate)});
  }
  for (const std::size_t bytes : sizes) {
    for (const Boxes& boxes : all) {
      write(*executor, boxes.out->next(), trial(ranks.rank(), boxes.rank, bytes));
      boxes.out->send(bytes);
    }
    for (const Boxes& boxes : all) {
      const auto message = read(*executor, boxes.in->next());
      boxes.in->release();
      if (message != trial(boxes.rank, ranks.rank(), bytes)) std::erase(working, boxes.rank);
    }
  }
  return both_willing(ranks, working);
}

JoinedDevices join_devices(Communicator& ranks, const std::vector<Executor*>& mine) {
  std::map<int, GroupCard> cards;
  const auto said = said_by_all(ranks, text_of(mine));
  JoinedDevices joined;
  for (std::size_t rank = 0; rank < said.size(); ++rank) {
    if (said[rank].empty()) continue;
    cards[static_cast<int>(rank)] = card_in(said[rank]);
    joined.members.push_back(static_cast<int>(rank));
  }
  if (cards.empty()) return joined;
  joined.refusal = refusal_of(cards);
  if (!joined.refusal.empty()) return joined;
  try {
    std::vector<Parcel> parcels;
    agree(ranks, [&] {
      if (ranks.rank() != joined.members.front()) return;
      const std::vector<std::byte> invitation = mine.front()->grouping()->invite_group();
      for (const int rank : joined.members) parcels.push_back({rank, invitation});
    });
    const auto invitations = ranks.exchange(std::move(parcels));
    agree(ranks, [&] {
      if (mine.empty()) return;
      const Waiting waiting(activity_board, ActivityBoard::everybody);
      const auto at = std::find(joined.members.begin(), joined.members.end(), ranks.rank());
      joined.group = mine.front()->grouping()->join_group(
          invitations.front().bytes, static_cast<int>(at - joined.members.begin()),
          static_cast<int>(joined.members.size()));
    });
  } catch (const Error& error) {
    joined.group.reset();
    joined.refusal = error.what();
  }
  return joined;
}

}  // namespace goban
