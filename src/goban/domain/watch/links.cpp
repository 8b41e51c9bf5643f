#include "goban/domain/watch/links.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace goban {

std::string name_of(const RankCard& card) {
  return "rank " + std::to_string(card.rank) + " (host " + card.host.data() + ", pid " +
         std::to_string(card.pid) + ")";
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

Link::~Link() {
  flush();
  close(socket_);
}

void Link::send(WatchNote note, std::string_view text) {
  note.text_bytes = static_cast<std::uint32_t>(text.size());
  const auto* head = reinterpret_cast<const std::byte*>(&note);
  out_.insert(out_.end(), head, head + sizeof(note));
  const auto* tail = reinterpret_cast<const std::byte*>(text.data());
  out_.insert(out_.end(), tail, tail + text.size());
  flush();
}

void Link::flush() {
  while (!out_.empty()) {
    const auto sent = ::send(socket_, out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) out_.clear();  // receive() tells
    if (sent <= 0) return;
    out_.erase(out_.begin(), out_.begin() + sent);
  }
}

bool Link::receive(const Use& use) {
  bool is_open = true;
  for (std::array<std::byte, 4096> part;;) {
    const auto got = recv(socket_, part.data(), part.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    is_open = got > 0 || (got < 0 && errno == EAGAIN);
    if (got <= 0) break;
    in_.insert(in_.end(), part.begin(), part.begin() + got);
    heard = WatchClock::now();
  }
  std::size_t used = 0;
  for (WatchNote note; in_.size() - used >= sizeof(note);) {
    std::memcpy(&note, in_.data() + used, sizeof(note));
    if (in_.size() - used - sizeof(note) < note.text_bytes) break;
    const auto* text = reinterpret_cast<const char*>(in_.data() + used + sizeof(note));
    use(note, {text, note.text_bytes});
    used += sizeof(note) + note.text_bytes;
  }
  in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(used));
  return is_open;
}

}  // namespace goban
