#include "goban/simulation/signals.hpp"

#include <unistd.h>

#include <atomic>

#include "goban/base/error.hpp"

namespace goban {
namespace {

constexpr int quit_code = 128 + SIGINT;

// What handlers may touch: lock-free flags, and a terminal state written before they are installed.
std::atomic<bool> watching = false;
std::atomic<bool> checkpoint_wanted = false;
std::atomic<int> first_stop_signal = 0;
std::atomic<bool> interrupted = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

termios terminal_before;
bool has_terminal = false;

void restore_terminal() {
  if (!has_terminal) return;
  signal(SIGTTOU, SIG_IGN);  // in the background the next line would stop the process
  constexpr char plain_colours_new_line[] = "\x1b[0m\n";
  tcsetattr(STDOUT_FILENO, TCSANOW, &terminal_before);
  if (write(STDOUT_FILENO, plain_colours_new_line, sizeof(plain_colours_new_line) - 1) < 0) return;
}

extern "C" void on_checkpoint_signal(int) { checkpoint_wanted = true; }

extern "C" void on_stop_signal(int signal) {
  if (signal == SIGINT && interrupted.exchange(true)) {
    restore_terminal();
    _exit(quit_code);
  }
  int none = 0;
  first_stop_signal.compare_exchange_strong(none, signal);
}

}  // namespace

SignalWatch::SignalWatch()
    : installed_{{SIGUSR1, {}}, {SIGTERM, {}}, {SIGHUP, {}}, {SIGINT, {}}, {SIGPIPE, {}}} {
  require(!watching.exchange(true), "signals are watched already",
          "one run of a process at a time handles them");
  checkpoint_wanted = false;
  first_stop_signal = 0;
  interrupted = false;
  has_terminal = tcgetattr(STDOUT_FILENO, &terminal_before) == 0;
  for (Installed& installed : installed_) {
    struct sigaction action {};
    action.sa_handler = installed.signal == SIGPIPE   ? SIG_IGN
                        : installed.signal == SIGUSR1 ? on_checkpoint_signal
                                                      : on_stop_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(installed.signal, &action, &installed.before);
    const bool is_nohup = installed.signal == SIGHUP && installed.before.sa_handler == SIG_IGN;
    if (is_nohup) sigaction(SIGHUP, &installed.before, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  for (const Installed& installed : installed_)
    sigaction(installed.signal, &installed.before, nullptr);
  watching = false;
}

bool SignalWatch::is_free() { return !watching; }

bool SignalWatch::take_checkpoint_request() { return checkpoint_wanted.exchange(false); }

int SignalWatch::stop_signal() const { return first_stop_signal; }

}  // namespace goban
