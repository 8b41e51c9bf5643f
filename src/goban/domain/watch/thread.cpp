#include "goban/domain/watch/thread.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

namespace goban {
namespace {

constexpr std::chrono::milliseconds time_to_abort{1000}, time_to_leave{1500}, time_to_print{100},
    time_to_follow{700};

WatchClock::duration duration(double seconds) {
  return std::chrono::duration_cast<WatchClock::duration>(std::chrono::duration<double>(seconds));
}

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

}  // namespace

void Watch::set_last_words(std::function<void(const std::string& why)> words) {
  const std::lock_guard lock(last_words_mutex);
  last_words = std::move(words);
}

void Watch::note_stopped() { has_stopped = true; }

Watch::Thread::Thread(WatchTree tree, const WatchOptions& options, Communicator& world)
    : tree_(std::move(tree)),
      options_(options),
      period_(duration(std::min(1.0, options.silence / 4))),
      world_(&world),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (tree_.mine.rank == 0) judge_.emplace(tree_.ranks, options_);
  // Signals are the program's.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watch::Thread::~Thread() {
  {
    const std::lock_guard lock(mutex_);
    orders_.goodbye = true;
  }
  eventfd_write(wake_, 1);
  thread_.join();
  close(wake_);
}

void Watch::Thread::forget_world() {
  const std::lock_guard lock(mutex_);
  world_ = nullptr;
}

void Watch::Thread::wait_for_exit() {
  const Waiting waiting(activity_board, ActivityBoard::everybody);
  std::unique_lock lock(mutex_);
  orders_.exit = true;
  eventfd_write(wake_, 1);
  answered_.wait(lock, [&] { return may_exit_; });
}

void Watch::Thread::note_spoken() {
  const std::lock_guard lock(mutex_);
  orders_.spoken = true;
  eventfd_write(wake_, 1);
}

void Watch::Thread::abandon(int exit_code) {
  if (std::this_thread::get_id() == thread_.get_id()) return;
  std::unique_lock lock(mutex_);
  orders_.abandon = exit_code;
  eventfd_write(wake_, 1);
  answered_.wait_for(lock, time_to_abort / 2, [&] { return has_abandoned_; });
}

Watch::Answer Watch::Thread::fail(int exit_code, const std::string& text) {
  std::unique_lock lock(mutex_);
  orders_.failure = {rank_, exit_code, text};
  eventfd_write(wake_, 1);
  answered_.wait(lock, [&] { return answer_.has_value(); });
  return *answer_;
}

double Watch::Thread::seconds() const {
  return std::chrono::duration<double>(now_ - start_).count();
}

void Watch::Thread::run() {
  for (bool is_ending = false; !is_ending;) {
    try {
      wait_for_news();
      const auto before = std::exchange(now_, WatchClock::now());
      if (now_ - before > duration(options_.silence / 2)) {  // stopped, as others may have been
        own_.forgive();
        paused_ = now_;
        if (judge_) judge_->forgive();
        if (tree_.parent) tree_.parent->heard = now_;
        for (auto& child : tree_.children) child->heard = now_;
      }
      receive_all();
      take_orders();
      if (now_ >= next_tick_) tick();
      while (judge_ && !is_over_) {
        const auto order = judge_->decide(seconds());
        if (!order) break;
        execute(*order);
      }
      const std::lock_guard lock(mutex_);
      is_ending = orders_.goodbye;
    } catch (const std::exception&) {  // no memory: there may be some again
      std::this_thread::sleep_for(period_ / 4);
    }
  }
  down({.kind = Kind::goodbye});
  if (tree_.parent) tree_.parent->send({.kind = Kind::goodbye});
}

void Watch::Thread::wait_for_news() {
  std::vector<pollfd> all{{wake_, POLLIN, 0}};
  const auto add = [&](const Link& link) {
    all.push_back(
        {link.socket(), static_cast<short>(POLLIN | (link.has_more_to_send() ? POLLOUT : 0)), 0});
  };
  if (tree_.parent) add(*tree_.parent);
  for (const auto& child : tree_.children) add(*child);
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(next_tick_ - WatchClock::now()).count();
  poll(all.data(), all.size(), static_cast<int>(std::max<long>(0, left)));
  eventfd_t ignored;
  eventfd_read(wake_, &ignored);
}

void Watch::Thread::take_orders() {
  Orders orders;
  {
    const std::lock_guard lock(mutex_);
    orders = std::exchange(orders_, Orders{});
    orders_.goodbye = orders.goodbye;
  }
  const bool is_alone = !judge_ && !tree_.parent && !leave_at_;  // rank 0 has ended
  if (orders.exit && (is_over_ || is_alone)) {
    obey({.kind = Kind::exit});
  } else if (orders.exit) {
    up({.kind = Kind::exiting, .rank = rank_});
  }
  if (orders.failure && is_alone) {
    obey({.kind = Kind::speak, .rank = rank_});
  } else if (orders.failure) {
    up({.kind = Kind::failure, .rank = rank_, .code = orders.failure->code}, orders.failure->text);
  }
  if (orders.spoken) up({.kind = Kind::spoken, .rank = rank_});
  if (orders.abandon) {
    up({.kind = Kind::abandon, .rank = rank_, .code = *orders.abandon});
    if (judge_) down({.kind = Kind::end, .code = *orders.abandon});
    is_over_ = true;
    const std::lock_guard lock(mutex_);
    has_abandoned_ = true;
    answered_.notify_all();
  }
}

void Watch::Thread::receive_all() {
  drop([&](Link& link, From from) { return !receive(link, from); });
}

/// Links of no more use. What is_lost does may use all of them.
template <class IsLost>
void Watch::Thread::drop(IsLost&& is_lost) {
  if (tree_.parent && is_lost(*tree_.parent, From::parent)) tree_.parent.reset();
  std::vector<const Link*> lost;
  for (const auto& child : tree_.children)
    if (is_lost(*child, From::child)) lost.push_back(child.get());
  for (const Link* link : lost)
    std::erase_if(tree_.children, [&](const auto& child) { return child.get() == link; });
}

/// False: the link is of no more use.
bool Watch::Thread::receive(Link& link, From from) {
  bool is_there = true;
  link.flush();
  const bool is_open = link.receive([&](const WatchNote& note, std::string_view text) {
    if (note.kind == Kind::goodbye) is_there = false;
    handle(note, text);
  });
  if (is_open || !is_there) return is_there;
  const bool is_here = link.peer().machine == tree_.mine.machine;
  const bool no_memory = is_here && memory_kills() > link.peer().memory_kills;
  lose(link, from, no_memory ? Loss::out_of_memory : Loss::died);
  return false;
}

void Watch::Thread::handle(const WatchNote& note, std::string_view text) {
  switch (note.kind) {
    case Kind::beat:
    case Kind::goodbye: break;
    case Kind::alike:
    case Kind::speak:
    case Kind::exit:
    case Kind::end: obey(note); break;
    default: up(note, text);
  }
}

void Watch::Thread::up(const WatchNote& note, std::string_view text) {
  if (judge_) judge_->hear(note, text, seconds());
  if (tree_.parent) tree_.parent->send(note, text);
}

void Watch::Thread::down(const WatchNote& note) {
  for (auto& child : tree_.children) child->send(note);
}

void Watch::Thread::tick() {
  next_tick_ = now_ + period_;
  if (tree_.parent) tree_.parent->send({});
  down({});
  const RankState state = own_.look(now_, options_.patience);
  const bool is_idle = state.idle > options_.patience / 4;
  if (is_idle || is_idle_told_) up({.kind = Kind::state, .rank = rank_, .state = state});
  is_idle_told_ = is_idle;
  drop([&](Link& link, From from) { return is_lost(link, from); });
  if (leave_at_ && now_ > *leave_at_) obey({.kind = Kind::end, .code = lost_code});
}

/// By its silence. A parent is judged by its own first.
bool Watch::Thread::is_lost(Link& link, From from) {
  const auto silence = now_ - link.heard;
  const double most = options_.silence * (from == From::parent ? 1.3 : 1);
  if (silence < duration(most)) return false;
  const bool is_here = link.peer().machine == tree_.mine.machine;
  const char state = is_here ? process_state(link.peer().pid) : '?';
  if (state == 't') {  // stopped by a debugger
    link.heard = now_;
    return false;
  }
  const bool is_stopped = state == 'T', is_gone = state == '\0' || state == 'Z';
  if (is_here && !is_stopped && !is_gone && silence < duration(2 * most)) return false;
  lose(link, from, is_stopped ? Loss::stopped : is_gone ? Loss::died : Loss::silent);
  return true;
}

/// Below a rank that is lost nobody hears rank 0: the others leave in silence.
void Watch::Thread::lose(const Link& link, From from, Loss loss) {
  if (is_over_) return;
  if (has_stopped) end_processes(static_cast<int>(ExitCode::resubmit), {}, true);
  const RankCard& lost = link.peer();
  const bool is_deputy = lost.rank == 0 && rank_ == 1;
  // Others may have ended because this rank was stopped, and have said so.
  if ((judge_ || is_deputy) && paused_ && now_ - *paused_ < time_to_leave)
    end_processes(lost_code, {}, false);
  if (from == From::child) {
    up({.kind = Kind::lost, .rank = lost.rank, .code = static_cast<int>(loss)});
  } else if (is_deputy) {
    end_processes(lost_code, describe(loss, name_of(lost), options_.silence), true);
  } else {
    leave_at_ = now_ + time_to_leave;
  }
}

void Watch::Thread::obey(const WatchNote& note) {
  down(note);
  if (note.kind == Kind::end) {
    if (!judge_) std::this_thread::sleep_for(time_to_follow);
    end_processes(note.code, {}, false);
  }
  is_over_ = is_over_ || note.kind == Kind::alike;
  const std::lock_guard lock(mutex_);
  may_exit_ = may_exit_ || note.kind != Kind::speak;
  if (note.kind == Kind::alike || (note.kind == Kind::speak && note.rank == rank_))
    answer_ = note.kind == Kind::speak ? Answer::speak : judge_ ? Answer::print : Answer::silence;
  answered_.notify_all();
}

void Watch::Thread::execute(const Judge::Order& order) {
  if (order.kind == Kind::end) end_processes(order.code, order.line, !order.is_ended);
  obey({.kind = order.kind, .rank = order.rank, .code = order.code});
}

/// MPI_Abort gives mpirun the exit code, and ends ranks that hear nothing.
void Watch::Thread::end_processes(int exit_code, const std::string& line, bool calls_mpi) {
  if (!line.empty()) print(line);
  down({.kind = Kind::end, .code = exit_code});
  for (auto& child : tree_.children) child->flush();
  say_last_words(line);
  std::this_thread::sleep_for(time_to_print);  // on its way through mpirun
  const std::lock_guard lock(mutex_);
  if (calls_mpi && world_ != nullptr) world_->abandon(exit_code);
  _exit(exit_code);
}

}  // namespace goban
