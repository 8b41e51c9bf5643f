#include "goban/simulation/run/signals.hpp"

#include <semaphore.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>

#include "goban/base/error.hpp"

namespace goban {
namespace {

constexpr int quit_code = 128 + SIGINT;

// What handlers may touch: lock-free flags, a semaphore, and a terminal state written before they
// are installed.
std::atomic<bool> watching = false;
std::atomic<bool> for_process = false;
std::atomic<bool> checkpoint_wanted = false;
std::atomic<int> first_stop_signal = 0;
std::atomic<int> interrupts = 0;
std::atomic<bool> has_quitter = false;
sem_t quit_request;  // of the quitter
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

termios terminal_before;
bool has_terminal = false;

struct Installed {
  int signal;
  struct sigaction before;
};
Installed installed[] = {{SIGUSR1, {}}, {SIGTERM, {}}, {SIGHUP, {}},
                         {SIGINT, {}},  {SIGXCPU, {}}, {SIGPIPE, {}}};

[[noreturn]] void quit() {
  if (has_terminal) {
    signal(SIGTTOU, SIG_IGN);  // in the background the next line would stop the process
    constexpr char plain_colours_new_line[] = "\x1b[0m\n";
    tcsetattr(STDOUT_FILENO, TCSANOW, &terminal_before);
    if (write(STDOUT_FILENO, plain_colours_new_line, sizeof(plain_colours_new_line) - 1) < 0) {
      _exit(quit_code);
    }
  }
  _exit(quit_code);
}

extern "C" void on_checkpoint_signal(int) { checkpoint_wanted = true; }

extern "C" void on_stop_signal(int signal) {
  int none = 0;
  first_stop_signal.compare_exchange_strong(none, signal);
  if (signal != SIGINT) return;
  const int count = ++interrupts;
  if (count == 2 && has_quitter) {
    sem_post(&quit_request);
  } else if (count >= 2) {
    quit();
  }
}

void install() {
  checkpoint_wanted = false;
  first_stop_signal = 0;
  interrupts = 0;
  has_terminal = tcgetattr(STDOUT_FILENO, &terminal_before) == 0;
  for (Installed& one : installed) {
    struct sigaction action {};
    action.sa_handler = one.signal == SIGPIPE   ? SIG_IGN
                        : one.signal == SIGUSR1 ? on_checkpoint_signal
                                                : on_stop_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(one.signal, &action, &one.before);
    const bool is_nohup = one.signal == SIGHUP && one.before.sa_handler == SIG_IGN;
    if (is_nohup) sigaction(SIGHUP, &one.before, nullptr);
  }
}

}  // namespace

/// Waits for the second SIGINT.
struct SignalWatch::Quitter {
  std::mutex mutex;  ///< guards last words; held from the first one to the end of the process
  std::function<void()> last_words;
  std::thread thread;

  Quitter() {
    sem_init(&quit_request, 0, 0);
    thread = std::thread([this] { wait(); });
    has_quitter = true;
  }
  ~Quitter() {
    has_quitter = false;
    sem_post(&quit_request);
    thread.join();
  }
  void wait() {
    while (sem_wait(&quit_request) != 0 && errno == EINTR) {
    }
    if (interrupts < 2) return;
    const std::lock_guard lock(mutex);
    try {
      if (last_words) last_words();
    } catch (const std::exception&) {  // the process ends all the same
    }
    quit();
  }
};

SignalWatch::SignalWatch() {
  require(!watching.exchange(true), "signals are watched already",
          "one run of a process at a time handles them");
  if (!for_process) install();
  quitter_ = std::make_unique<Quitter>();
}

SignalWatch::~SignalWatch() {
  quitter_.reset();
  if (!for_process) {
    for (const Installed& one : installed) sigaction(one.signal, &one.before, nullptr);
  }
  watching = false;
}

void SignalWatch::begin_for_process() {
  if (!for_process.exchange(true)) install();
}

bool SignalWatch::is_free() { return !watching; }

bool SignalWatch::take_checkpoint_request() { return checkpoint_wanted.exchange(false); }

int SignalWatch::stop_signal() { return watching || for_process ? first_stop_signal.load() : 0; }

void SignalWatch::set_last_words(std::function<void()> last_words) {
  const std::lock_guard lock(quitter_->mutex);
  quitter_->last_words = std::move(last_words);
}

void SignalWatch::let_quit() { const std::lock_guard lock(quitter_->mutex); }

}  // namespace goban
