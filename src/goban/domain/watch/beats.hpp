#pragma once
// Datagrams between ranks beside MPI.

#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/base/process/descriptor.hpp"
#include "goban/domain/watch/verdict.hpp"

namespace goban {

/// A sign of life; sent as it is.
struct Beat {
  std::array<std::byte, 16> secret{};  ///< the ranks' own: datagrams of others are not heard
  int rank = 0, pid = 0;
  int exit_code = 0;          ///< unless 0, the rank has ended all with it
  std::uint64_t machine = 0;  ///< equal where process numbers mean the same
  /// Kills for want of memory that the machine had counted when the rank began.
  std::uint64_t memory_kills = 0;
  std::array<char, 64> host{};
  RankState state{};

  /// "rank 2 (host b, pid 4711)"
  std::string name() const;
};

/// How often the system has ended a process of this machine for want of memory.
std::uint64_t memory_kills();
/// The letter that Linux gives the state of a process of this machine; 0: there is none.
char process_state(int pid);

/// A socket, and where rank 0 is to be reached.
class BeatSocket {
 public:
  /// Collective. Nothing is sent or heard where the system refuses a socket.
  explicit BeatSocket(Communicator& ranks);

  int number() const { return socket_; }
  /// The beat of this rank, with the secret of all.
  const Beat& mine() const { return mine_; }
  void send_to_first(const Beat& beat) const;
  void send(const Beat& beat, const sockaddr_in& to) const;
  /// What has come, and from where. Never waits.
  std::optional<std::pair<Beat, sockaddr_in>> receive() const;

 private:
  Descriptor socket_;
  Beat mine_;
  std::vector<sockaddr_in> first_;  ///< all addresses of rank 0: some may be those of another here
};

}  // namespace goban
