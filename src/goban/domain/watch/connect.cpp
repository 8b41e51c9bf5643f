// How ranks find each other and connect.

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <system_error>
#include <utility>

#include "goban/base/descriptor.hpp"
#include "goban/domain/watch/links.hpp"

namespace goban {
namespace {

using Deadline = WatchClock::time_point;
constexpr std::chrono::milliseconds answer_time{2000}, greeting_time{500}, gathering_time{15000};

/// Whoever calls shows the first, whoever answers the second.
struct Secret {
  std::array<std::byte, 16> call{}, answer{};
};
struct Greeting {
  std::array<std::byte, 16> secret{};
  int rank = 0;
};

sockaddr_in address_of(std::uint32_t address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr.s_addr = address;
  result.sin_port = htons(port);
  return result;
}

bool wait_for(int socket, short events, Deadline deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - WatchClock::now());
    if (left.count() <= 0) return false;
    pollfd one{socket, events, 0};
    const int ready = poll(&one, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool receive_greeting(int socket, Greeting& greeting, Deadline deadline) {
  auto* bytes = reinterpret_cast<std::byte*>(&greeting);
  for (std::size_t got = 0; got < sizeof(greeting);) {
    if (!wait_for(socket, POLLIN, deadline)) return false;
    const auto more = recv(socket, bytes + got, sizeof(greeting) - got, MSG_DONTWAIT);
    if (more == 0 || (more < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (more > 0) got += static_cast<std::size_t>(more);
  }
  return true;
}

bool send_greeting(int socket, const Greeting& greeting) {
  return send(socket, &greeting, sizeof(greeting), MSG_NOSIGNAL) == sizeof(greeting);
}

bool is_same(const std::array<std::byte, 16>& a, const std::array<std::byte, 16>& b) {
  std::byte difference{};
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == std::byte{};
}

void set_options(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

Descriptor listen_for_children(RankCard& card, bool on_this_machine) {
  Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  auto address = address_of(htonl(on_this_machine ? INADDR_LOOPBACK : INADDR_ANY), 0);
  socklen_t bytes = sizeof(address);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || bind(listener, any, bytes) != 0 || listen(listener, SOMAXCONN) != 0 ||
      getsockname(listener, any, &bytes) != 0)
    return Descriptor();
  card.port = ntohs(address.sin_port);
  return listener;
}

void find_addresses(RankCard& card) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    if ((each->ifa_flags & IFF_UP) == 0 || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
    if (card.address_count == RankCard::most_addresses) break;
    sockaddr_in address;
    std::memcpy(&address, each->ifa_addr, sizeof(address));
    card.addresses[card.address_count++] = address.sin_addr.s_addr;
  }
  freeifaddrs(all);
}

std::uint64_t machine_number() {
  std::string name;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), name);
  std::array<char, 64> processes{};  // containers number theirs on their own
  if (readlink("/proc/self/ns/pid", processes.data(), processes.size() - 1) < 0) processes[0] = 0;
  return std::hash<std::string>{}(name + processes.data());
}

RankCard make_card(int rank) {
  RankCard card;
  card.rank = rank;
  card.pid = getpid();
  card.machine = machine_number();
  card.memory_kills = memory_kills();
  if (gethostname(card.host.data(), card.host.size() - 1) != 0) card.host[0] = '?';
  find_addresses(card);
  return card;
}

Descriptor call(const RankCard& parent, std::uint32_t address, int rank, const Secret& secret) {
  const Deadline deadline = WatchClock::now() + answer_time;
  Descriptor caller(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto there = address_of(address, parent.port);
  if (connect(caller, reinterpret_cast<const sockaddr*>(&there), sizeof(there)) != 0 &&
      (errno != EINPROGRESS || !wait_for(caller, POLLOUT, deadline)))
    return Descriptor();
  Greeting answer;
  if (!send_greeting(caller, {secret.call, rank}) || !receive_greeting(caller, answer, deadline) ||
      !is_same(answer.secret, secret.answer) || answer.rank != parent.rank)
    return Descriptor();
  set_options(caller);
  return caller;
}

/// Tries all addresses of the parent: some are reached from its own network alone, or are those of
/// another machine here.
std::unique_ptr<Link> call_parent(const RankCard& parent, int rank, bool on_one_machine,
                                  const Secret& secret) {
  std::vector<std::uint32_t> addresses{htonl(INADDR_LOOPBACK)};
  if (!on_one_machine) {
    addresses.insert(addresses.begin(), parent.addresses.begin(),
                     parent.addresses.begin() + parent.address_count);
  }
  const Deadline deadline = WatchClock::now() + gathering_time - answer_time;
  for (;;) {
    for (const std::uint32_t address : addresses) {
      if (Descriptor found = call(parent, address, rank, secret); found >= 0)
        return std::make_unique<Link>(found.release(), parent);
      if (WatchClock::now() > deadline) return nullptr;
    }
    poll(nullptr, 0, 50);
  }
}

bool answer_children(Descriptor& listener, WatchTree& tree, std::map<int, RankCard> expected,
                     const Secret& secret) {
  const Deadline deadline = WatchClock::now() + gathering_time;
  while (!expected.empty()) {
    if (!wait_for(listener, POLLIN, deadline)) return false;
    Descriptor one(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    Greeting greeting;
    if (one < 0 ||
        !receive_greeting(one, greeting, std::min(deadline, WatchClock::now() + greeting_time)))
      continue;
    const auto found = expected.find(greeting.rank);
    if (found == expected.end() || !is_same(greeting.secret, secret.call) ||
        !send_greeting(one, {secret.answer, tree.mine.rank}))
      continue;
    set_options(one);
    tree.children.push_back(std::make_unique<Link>(one.release(), found->second));
    expected.erase(found);
  }
  return true;
}

Secret agree_on_secret(Communicator& ranks) {
  Secret secret;
  if (ranks.rank() == 0 && getrandom(&secret, sizeof(secret), 0) < 0)
    throw std::system_error(errno, std::generic_category(), "no random numbers");
  ranks.broadcast(std::as_writable_bytes(std::span(&secret, 1)), 0);
  return secret;
}

std::vector<RankCard> exchange_cards(Communicator& ranks, const RankCard& mine, int parent,
                                     int first_child, int end_child) {
  std::vector<int> targets{0};
  if (parent > 0) targets.push_back(parent);
  for (int child = first_child; child < end_child; ++child) targets.push_back(child);
  std::vector<Parcel> parcels;
  const auto bytes = std::as_bytes(std::span(&mine, 1));
  for (const int target : targets) parcels.push_back({target, {bytes.begin(), bytes.end()}});
  std::vector<RankCard> cards;
  for (const Parcel& parcel : ranks.exchange(std::move(parcels))) {
    cards.emplace_back();
    std::memcpy(&cards.back(), parcel.bytes.data(), sizeof(RankCard));
  }
  return cards;
}

}  // namespace

std::string connect(Communicator& ranks, WatchTree& tree) {
  const int rank = ranks.rank(), size = ranks.size();
  const int parent = rank == 0 ? -1 : (rank - 1) / WatchTree::most_children;
  const int first_child = std::min<int>(size, rank * WatchTree::most_children + 1);
  const int end_child = std::min<int>(size, first_child + WatchTree::most_children);
  const auto& nodes = ranks.nodes();
  const bool on_one_machine = std::ranges::count(nodes, nodes[0]) == size;
  const Secret secret = agree_on_secret(ranks);

  tree.mine = make_card(rank);
  Descriptor listener = listen_for_children(tree.mine, on_one_machine);
  std::map<int, RankCard> children;
  const auto cards = exchange_cards(ranks, tree.mine, parent, first_child, end_child);
  for (const RankCard& card : cards) {
    if (card.rank >= first_child && card.rank < end_child) children[card.rank] = card;
    if (card.rank == parent)
      tree.parent = call_parent(card, rank, on_one_machine || nodes[rank] == nodes[parent], secret);
  }
  bool is_connected = rank == 0 || tree.parent;
  is_connected = is_connected && answer_children(listener, tree, children, secret);
  if (rank == 0) tree.ranks = cards;
  constexpr auto nobody = std::numeric_limits<std::int64_t>::max();
  std::int64_t failed = is_connected ? nobody : rank;
  ranks.minimum({&failed, 1});
  if (failed == nobody) return {};
  return "rank " + std::to_string(failed) + " cannot be reached by TCP, or cannot reach others";
}

}  // namespace goban
