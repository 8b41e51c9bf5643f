#include "tests/fuzz/crash_report.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace goban::fuzz {
namespace {

constexpr unsigned longest_case = 60;  // seconds

// A signal handler may not allocate.
std::array<char, 1 << 16> text;
std::size_t length = 0;

void report(int number) {
  static constexpr char heading[] = "\ncrashed or hung while running\n  ";
  // Nothing can be done when it cannot be written.
  [[maybe_unused]] auto written = write(STDERR_FILENO, heading, sizeof(heading) - 1);
  written = write(STDERR_FILENO, text.data(), length);
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

void announce(const std::string& line) {
  static const bool is_installed = [] {
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
