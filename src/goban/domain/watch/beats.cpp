#include "goban/domain/watch/beats.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>

namespace goban {
namespace {

/// Rank 0's, and the secret; sent as it is.
struct Meeting {
  std::array<std::byte, 16> secret{};
  std::array<std::uint32_t, 16> addresses{};  ///< IPv4, in network order
  std::uint32_t count = 0;
  std::uint16_t port = 0;
};

sockaddr_in address_of(std::uint32_t address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr.s_addr = address;
  result.sin_port = port;
  return result;
}

Descriptor open_socket(bool on_this_machine, std::uint16_t& port) {
  Descriptor opened(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  auto address = address_of(htonl(on_this_machine ? INADDR_LOOPBACK : INADDR_ANY), 0);
  socklen_t bytes = sizeof(address);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (opened < 0 || bind(opened, any, bytes) != 0 || getsockname(opened, any, &bytes) != 0)
    return Descriptor();
  port = address.sin_port;
  return opened;
}

void find_addresses(Meeting& meeting) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    const bool is_of_use = each->ifa_addr != nullptr && each->ifa_addr->sa_family == AF_INET &&
                           (each->ifa_flags & IFF_UP) != 0 && (each->ifa_flags & IFF_LOOPBACK) == 0;
    if (!is_of_use || meeting.count == meeting.addresses.size()) continue;
    sockaddr_in address;
    std::memcpy(&address, each->ifa_addr, sizeof(address));
    meeting.addresses[meeting.count++] = address.sin_addr.s_addr;
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

}  // namespace

std::string Beat::name() const {
  return "rank " + std::to_string(rank) + " (host " + host.data() + ", pid " + std::to_string(pid) +
         ")";
}

std::uint64_t memory_kills() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  for (std::uint64_t count = 0; file >> name >> count;)
    if (name == "oom_kill") return count;
  return 0;
}

char process_state(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto end_of_name = line.rfind(") ");
  return end_of_name == line.npos ? '\0' : line[end_of_name + 2];
}

BeatSocket::BeatSocket(Communicator& ranks) {
  const auto& nodes = ranks.nodes();
  const bool on_one_machine = std::ranges::count(nodes, nodes[0]) == ranks.size();
  Meeting meeting;
  socket_ = open_socket(on_one_machine, meeting.port);
  if (!on_one_machine) find_addresses(meeting);
  if (getrandom(meeting.secret.data(), meeting.secret.size(), 0) < 0) socket_.close();
  ranks.broadcast(std::as_writable_bytes(std::span(&meeting, 1)), 0);

  mine_ = {.secret = meeting.secret,
           .rank = ranks.rank(),
           .pid = getpid(),
           .machine = machine_number(),
           .memory_kills = memory_kills()};
  if (gethostname(mine_.host.data(), mine_.host.size() - 1) != 0) mine_.host[0] = '?';
  if (nodes[static_cast<std::size_t>(ranks.rank())] == nodes[0])
    first_.push_back(address_of(htonl(INADDR_LOOPBACK), meeting.port));
  for (std::uint32_t i = 0; i < meeting.count; ++i)
    first_.push_back(address_of(meeting.addresses[i], meeting.port));
}

void BeatSocket::send(const Beat& beat, const sockaddr_in& to) const {
  const auto* address = reinterpret_cast<const sockaddr*>(&to);
  sendto(socket_, &beat, sizeof(beat), MSG_DONTWAIT, address, sizeof(to));
}

void BeatSocket::send_to_first(const Beat& beat) const {
  for (const sockaddr_in& address : first_) send(beat, address);
}

std::optional<std::pair<Beat, sockaddr_in>> BeatSocket::receive() const {
  for (;;) {
    std::pair<Beat, sockaddr_in> result;
    socklen_t bytes = sizeof(sockaddr_in);
    auto* from = reinterpret_cast<sockaddr*>(&result.second);
    const auto got = recvfrom(socket_, &result.first, sizeof(Beat), MSG_DONTWAIT, from, &bytes);
    if (got < 0 && errno != EINTR) return {};
    if (got == sizeof(Beat) && result.first.secret == mine_.secret) return result;
  }
}

}  // namespace goban
