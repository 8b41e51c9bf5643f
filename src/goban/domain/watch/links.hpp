#pragma once
// Connections between ranks beside MPI: a tree of sockets.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/domain/watch/verdict.hpp"

namespace goban {

using WatchClock = std::chrono::steady_clock;

/// Where a rank is and how it is reached; sent as it is.
struct RankCard {
  static constexpr std::size_t most_addresses = 16;
  int rank = 0, pid = 0;
  std::uint64_t machine = 0;       ///< equal where process numbers mean the same
  std::uint64_t memory_kills = 0;  ///< of that machine so far
  std::array<char, 64> host{};
  std::array<std::uint32_t, most_addresses> addresses{};  ///< IPv4, in network order
  std::uint32_t address_count = 0;
  std::uint16_t port = 0;
};

/// "rank 2 (host b, pid 4711)"
std::string name_of(const RankCard& card);
/// How often the system has ended a process of this machine for want of memory.
std::uint64_t memory_kills();
/// The letter that Linux gives the state of a process of this machine; 0: there is none.
char process_state(int pid);

/// What ranks tell each other; sent as it is, with a text.
struct WatchNote {
  enum class Kind : std::uint32_t {
    beat,     ///< I live
    goodbye,  ///< I have come to my end, as have all
    exiting,  ///< rank `rank` is in exit()
    exit,     ///< all are, and may go on
    state,    ///< of a rank that makes no progress, or does again
    lost,     ///< rank `rank`, how: `code`
    abandon,  ///< end all with this code: the rank has said why
    failure,  ///< rank `rank` fails with this code and text
    alike,    ///< all fail so
    speak,    ///< rank `rank` alone fails, and is to say so
    spoken,   ///< it has
    end       ///< the process, now, with this code
  };
  Kind kind = Kind::beat;
  int rank = 0, code = 0;
  RankState state{};
  std::uint32_t text_bytes = 0;
};

/// One end of a connection. Never waits.
class Link {
 public:
  using Use = std::function<void(const WatchNote&, std::string_view text)>;

  Link(int socket, const RankCard& peer) : socket_(socket), peer_(peer) {}
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const RankCard& peer() const { return peer_; }
  int socket() const { return socket_; }
  void send(WatchNote note, std::string_view text = {});
  void flush();
  bool has_more_to_send() const { return !out_.empty(); }
  /// Takes what has come to `use`. False: the other end has closed.
  bool receive(const Use& use);

  WatchClock::time_point heard = WatchClock::now();  ///< of it

 private:
  int socket_;
  RankCard peer_;
  std::vector<std::byte> in_, out_;
};

/// Parent and children of a rank in a tree of all, and where the others are.
struct WatchTree {
  static constexpr int most_children = 64;
  RankCard mine;
  std::unique_ptr<Link> parent;  ///< none of rank 0
  std::vector<std::unique_ptr<Link>> children;
  std::vector<RankCard> ranks;  ///< of all, at rank 0
};

/// Collective. Connects the ranks; who cannot show a secret they share is turned away. Returns on
/// every rank why that was not possible, or nothing.
std::string connect(Communicator& ranks, WatchTree& tree);

}  // namespace goban
