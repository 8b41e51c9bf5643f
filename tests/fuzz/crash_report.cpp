#include "tests/fuzz/crash_report.hpp"

#include <dirent.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace goban::fuzz {
namespace {

constexpr unsigned longest_case = 60;  // seconds

// A signal handler may not allocate.
std::array<char, 1 << 16> text;
std::size_t length = 0;

// Nothing can be done when it cannot be written.
void print(const char* bytes, std::size_t count) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, bytes, count);
}

// Prints where this thread is.
void print_calls(int = 0) {
  static constexpr char heading[] = "a thread in\n";
  print(heading, sizeof(heading) - 1);
  std::array<void*, 30> calls;
  const int count = backtrace(calls.data(), static_cast<int>(calls.size()));
  backtrace_symbols_fd(calls.data(), count, STDERR_FILENO);
}

// Prints where the other threads are, one after the other. Threads of teams take this signal.
void print_calls_of_others() {
  signal(SIGPROF, print_calls);
  DIR* const threads = opendir("/proc/self/task");
  if (threads == nullptr) return;
  while (const dirent* const entry = readdir(threads)) {
    const pid_t thread = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (thread == 0 || thread == gettid()) continue;
    syscall(SYS_tgkill, getpid(), thread, SIGPROF);
    usleep(100'000);
  }
  closedir(threads);
}

void report(int number) {
  static constexpr char heading[] = "\ncrashed or hung while running\n  ";
  print(heading, sizeof(heading) - 1);
  print(text.data(), length);
  print_calls();
  if (number == SIGALRM) print_calls_of_others();
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

void announce(const std::string& line) {
  static const bool is_installed = [] {
    void* first = nullptr;
    backtrace(&first, 1);  // loads what it needs, which a handler may not
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) signal(number, report);
    return true;
  }();
  static_cast<void>(is_installed);
  length = std::min(line.size(), text.size() - 1);
  std::copy_n(line.begin(), length, text.begin());
  text[length++] = '\n';
  alarm(longest_case);
}

}  // namespace goban::fuzz
