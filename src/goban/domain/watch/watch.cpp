#include "goban/domain/watch/watch.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/domain/watch/beats.hpp"

namespace goban {
namespace {

using WatchClock = std::chrono::steady_clock;
using std::chrono::milliseconds;
constexpr milliseconds time_to_answer{3000}, time_of_deputy{1500}, time_to_print{100},
    time_to_follow{700}, between_calls{50};
constexpr int lost_code = static_cast<int>(ExitCode::peer_lost);

std::mutex current_mutex;
std::weak_ptr<Watch> current_watch;
std::atomic<bool> has_stopped = false;
std::mutex last_words_mutex;
std::function<void(const std::string& why)> last_words;

void say_last_words(const std::string& why) {
  const std::lock_guard lock(last_words_mutex);
  try {
    if (last_words) last_words(why);
  } catch (const std::exception&) {  // the line that was printed is what matters
  }
}

void print(const std::string& line) {
  const std::string text = "goban: error: " + line + "\n";
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

WatchClock::duration duration(double seconds) {
  return std::chrono::duration_cast<WatchClock::duration>(std::chrono::duration<double>(seconds));
}

/// All ranks take those of rank 0.
WatchOptions agree_on_options(Communicator& world) {
  std::array<char, 64> text{};
  const char* value = std::getenv("GOBAN_WATCH");
  if (value != nullptr) std::snprintf(text.data(), text.size(), "%s", value);
  world.broadcast(std::as_writable_bytes(std::span(text)), 0);
  return watch_options(text.data());
}

constexpr double gap_factor = 5;  // sweeps vary

bool is_debugged() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;)
    if (word == "TracerPid:") return file >> word && word != "0";
  return false;
}

/// This rank's own activity over time.
class OwnState {
 public:
  /// Looks at activity_board, now and then.
  RankState look(WatchClock::time_point now, double patience);
  void forgive() { last_move_ = WatchClock::now(); }

 private:
  WatchClock::time_point last_move_ = WatchClock::now();
  std::uint64_t moves_ = 0;
  bool was_computing_ = false;
  double longest_ = 0;  ///< seconds between two moves of a sweep
};

RankState OwnState::look(WatchClock::time_point now, double patience) {
  const ActivityBoard& board = activity_board;
  RankState state{.activity = board.activity.load(std::memory_order_relaxed),
                  .is_waiting = board.waits.load(std::memory_order_relaxed) > 0,
                  .peer = board.peer.load(std::memory_order_relaxed)};
  const std::uint64_t moves = board.moves.load(std::memory_order_relaxed);
  state.idle = std::chrono::duration<double>(now - last_move_).count();
  if (moves != moves_) {
    if (was_computing_) longest_ = std::max(longest_, state.idle);
    moves_ = moves;
    last_move_ = now;
    state.idle = 0;
  }
  const bool is_sweep = state.activity == Activity::sweep;
  was_computing_ = (is_sweep || state.activity == Activity::tuning) && !state.is_waiting;
  state.patience = std::max(patience, gap_factor * longest_);
  if (is_sweep && state.idle > patience / 2 && is_debugged()) state.activity = Activity::other;
  return state;
}

bool is_readable(int descriptor) {
  pollfd one{descriptor, POLLIN, 0};
  return poll(&one, 1, 0) > 0;
}

}  // namespace

WatchOptions watch_options(const char* text) {
  const std::string all = text;
  WatchOptions options;
  if (all.empty()) return options;
  if (all == "off") {
    options.is_on = false;
    return options;
  }
  char* end = nullptr;
  options.silence = options.patience = std::strtod(all.c_str(), &end);
  if (*end == ',') options.patience = std::strtod(end + 1, &end);
  require(*end == '\0' && options.silence >= 0.1 && options.patience >= 0.1,
          "GOBAN_WATCH=" + all + " is refused", "off, SECONDS or SECONDS,SECONDS is expected",
          "the first without a sign of life, the second of a sweep without progress");
  return options;
}

/// Rank 0 knows all others, they know rank 0.
struct Watch::Thread {
  Thread(BeatSocket socket, const WatchOptions& options, Communicator& world);
  ~Thread();
  /// Whether rank 0 has answered in time.
  bool is_answered();
  void tell_end(int exit_code);
  void overlook_losses() { has_ended_ = true; }

 private:
  struct Peer {
    Beat beat;
    sockaddr_in address;
    WatchClock::time_point heard;
    Descriptor process = Descriptor();  ///< readable when it has ended; none on other machines
  };

  void run();
  void wait_for_news();
  void forgive();
  void receive_all();
  void note(const Beat& beat, const sockaddr_in& from);
  void beat();
  void judge();
  bool is_silent(Peer& peer) const;
  void lose(const Peer& peer);
  std::string describe_loss(const Peer& peer) const;
  void send_end(int exit_code) const;
  [[noreturn]] void end_processes(int exit_code, const std::string& line);

  const BeatSocket socket_;
  const int rank_ = socket_.mine().rank;
  const WatchOptions options_;
  Communicator& world_;
  WatchClock::time_point now_ = WatchClock::now(), next_beat_ = now_;
  WatchClock::time_point forgiven_ = now_ - std::chrono::hours(1);  ///< this process was stopped
  OwnState own_;
  std::atomic<bool> has_ended_ = false;  ///< a rank has: what becomes of others matters no more

  std::mutex mutex_;  ///< guards all but what is constant, while the thread does not wait
  std::condition_variable answered_;
  std::map<int, Peer> peers_;
  std::atomic<bool> is_told_to_end_ = false;
  Descriptor wake_;  ///< an eventfd
  std::thread thread_;
};

Watch::Thread::Thread(BeatSocket socket, const WatchOptions& options, Communicator& world)
    : socket_(std::move(socket)),
      options_(options),
      world_(world),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  sigset_t all, before;  // signals are the program's
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watch::Thread::~Thread() {
  is_told_to_end_ = true;
  eventfd_write(wake_, 1);
  thread_.join();
}

bool Watch::Thread::is_answered() {
  std::unique_lock lock(mutex_);
  return answered_.wait_for(lock, time_to_answer, [&] { return !peers_.empty(); });
}

void Watch::Thread::tell_end(int exit_code) {
  if (std::this_thread::get_id() == thread_.get_id()) return;
  const std::lock_guard lock(mutex_);
  send_end(exit_code);
  has_ended_ = true;
  std::this_thread::sleep_for(time_to_print);  // before the launcher ends the others
}

void Watch::Thread::run() {
  while (!is_told_to_end_) {
    wait_for_news();
    try {
      const std::lock_guard lock(mutex_);
      const auto before = std::exchange(now_, WatchClock::now());
      if (now_ - before > duration(options_.silence / 2)) forgive();
      receive_all();
      if (now_ >= next_beat_) beat();
      if (!has_ended_) judge();
    } catch (const std::exception&) {  // no memory: there may be some again
      std::this_thread::sleep_for(between_calls);
    }
  }
}

void Watch::Thread::wait_for_news() {
  std::vector<pollfd> all{{wake_, POLLIN, 0}, {socket_.number(), POLLIN, 0}};
  for (const auto& [rank, peer] : peers_)
    if (peer.process >= 0 && !has_ended_) all.push_back({peer.process, POLLIN, 0});
  const auto left = std::chrono::ceil<milliseconds>(next_beat_ - WatchClock::now()).count();
  poll(all.data(), all.size(), static_cast<int>(std::max<long>(0, left)));
}

/// This process was stopped, as others may have been.
void Watch::Thread::forgive() {
  forgiven_ = now_;
  own_.forgive();
  for (auto& [rank, peer] : peers_) {
    peer.heard = now_;
    peer.beat.state = {};
  }
}

void Watch::Thread::receive_all() {
  while (const auto heard = socket_.receive()) {
    const auto& [beat, from] = *heard;
    if ((rank_ == 0) == (beat.rank == 0) || beat.rank < 0 || beat.rank >= world_.size()) continue;
    note(beat, from);
    if (rank_ == 0) socket_.send(socket_.mine(), from);
    if (beat.exit_code == 0 || has_ended_) continue;
    has_ended_ = true;
    if (rank_ == 0) send_end(beat.exit_code);
    say_last_words({});
    std::thread([code = beat.exit_code] {
      std::this_thread::sleep_for(time_to_follow);
      _exit(code);
    }).detach();
  }
}

void Watch::Thread::note(const Beat& beat, const sockaddr_in& from) {
  const auto [found, is_new] = peers_.try_emplace(beat.rank, Peer{beat, from, now_});
  Peer& peer = found->second;
  peer.beat = beat;
  peer.heard = now_;
  const bool is_here = beat.machine == socket_.mine().machine;
  if (!is_new) return;
  if (is_here && rank_ <= 1)
    peer.process = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, beat.pid, 0)));
  answered_.notify_all();
}

void Watch::Thread::beat() {
  next_beat_ = now_ + duration(std::min(1.0, options_.silence / 4));
  Beat mine = socket_.mine();
  mine.state = own_.look(now_, options_.patience);
  if (rank_ != 0) {
    socket_.send_to_first(mine);
    if (peers_.empty()) next_beat_ = now_ + between_calls;
    return;
  }
  std::vector<RankState> states{mine.state};
  for (const auto& [rank, peer] : peers_) states.push_back(peer.beat.state);
  if (static_cast<int>(states.size()) < world_.size() || has_ended_) return;
  if (const auto stuck = find_stuck(states, options_.patience)) {
    const Beat& who = stuck->rank == 0 ? mine : peers_.at(stuck->rank).beat;
    end_processes(lost_code, describe(*stuck, who.name(), states));
  }
}

void Watch::Thread::judge() {
  for (auto& [rank, peer] : peers_)
    if ((peer.process >= 0 && is_readable(peer.process)) || is_silent(peer)) lose(peer);
}

/// Processes of this machine that are there and not stopped may be slow.
bool Watch::Thread::is_silent(Peer& peer) const {
  const auto silence = now_ - peer.heard;
  auto most = duration(options_.silence * (rank_ == 0 ? 1 : 1.3));
  if (rank_ > 1) most += time_of_deputy;
  if (silence < most) return false;
  if (peer.beat.machine != socket_.mine().machine) return true;
  const char state = process_state(peer.beat.pid);
  if (state == 't') peer.heard = now_;  // stopped by a debugger
  const bool is_lost = state == 'T' || state == 'Z' || state == '\0';
  return state != 't' && (is_lost || silence > 2 * most);
}

/// Below rank 1 nobody says that rank 0 is lost: the others leave in silence.
void Watch::Thread::lose(const Peer& peer) {
  if (has_stopped) end_processes(static_cast<int>(ExitCode::resubmit), {});
  // Others may have ended because this rank was stopped, and have said so.
  const bool is_said = rank_ > 1 || now_ - forgiven_ < time_of_deputy;
  end_processes(lost_code, is_said ? std::string() : describe_loss(peer));
}

std::string Watch::Thread::describe_loss(const Peer& peer) const {
  const std::string name = peer.beat.name();
  const bool is_here = peer.beat.machine == socket_.mine().machine;
  const char state = is_here ? process_state(peer.beat.pid) : '?';
  if (state == '\0' || state == 'Z') {
    return memory_kills() > peer.beat.memory_kills
               ? name +
                     " died (its machine has run out of memory); use a smaller grid or more "
                     "machines"
               : name +
                     " died (it crashed or was killed, perhaps out of memory); see what it "
                     "wrote last, or use more machines";
  }
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(duration(options_.silence)).count();
  return name + " has given no sign for " + std::to_string(seconds) + " s (" +
         (state == 'T' ? "it is stopped); set GOBAN_WATCH=off to stop ranks"
                       : "its machine or the network is gone, or it is stopped); set "
                         "GOBAN_WATCH=off to use a debugger");
}

/// Tells all, by way of rank 0.
void Watch::Thread::send_end(int exit_code) const {
  Beat last = socket_.mine();
  last.exit_code = exit_code;
  if (rank_ != 0) return socket_.send_to_first(last);
  for (const auto& [rank, peer] : peers_) socket_.send(last, peer.address);
}

/// MPI_Abort gives mpirun the exit code, and ends ranks that hear nothing.
void Watch::Thread::end_processes(int exit_code, const std::string& line) {
  if (!line.empty()) print(line);
  send_end(exit_code);
  say_last_words(line);
  std::this_thread::sleep_for(time_to_print);  // on its way through mpirun
  if (rank_ <= 1) world_.abandon(exit_code);
  _exit(exit_code);
}

void Watch::set_last_words(std::function<void(const std::string& why)> words) {
  const std::lock_guard lock(last_words_mutex);
  last_words = std::move(words);
}

void Watch::note_stopped() { has_stopped = true; }

std::shared_ptr<Watch> Watch::start(Communicator& world) {
  const WatchOptions options = agree_on_options(world);
  if (!options.is_on || world.size() == 1) return nullptr;
  auto thread = std::make_unique<Thread>(BeatSocket(world), options, world);
  constexpr auto nobody = std::numeric_limits<std::int64_t>::max();
  std::int64_t alone = world.rank() == 0 || thread->is_answered() ? nobody : world.rank();
  world.minimum({&alone, 1});
  if (alone != nobody) {
    if (world.rank() == 0)
      std::fprintf(stderr,
                   "goban: warning: ranks do not watch each other (rank %d and rank 0 cannot reach "
                   "each other by UDP); one that hangs is not noticed, GOBAN_WATCH=off silences "
                   "this\n",
                   static_cast<int>(alone));
    return nullptr;
  }
  std::shared_ptr<Watch> watch(new Watch(std::move(thread)));
  const std::lock_guard lock(current_mutex);
  current_watch = watch;
  return watch;
}

std::shared_ptr<Watch> Watch::current() {
  const std::lock_guard lock(current_mutex);
  return current_watch.lock();
}

Watch::Watch(std::unique_ptr<Thread> thread) : thread_(std::move(thread)) {}
Watch::~Watch() = default;
void Watch::tell_end(int exit_code) noexcept { thread_->tell_end(exit_code); }
void Watch::overlook_losses() noexcept { thread_->overlook_losses(); }

}  // namespace goban
