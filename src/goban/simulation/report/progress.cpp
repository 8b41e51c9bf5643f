#include "goban/simulation/report/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "goban/base/quantity_text.hpp"

namespace goban {
namespace {

constexpr double terminal_interval = 0.1, plain_interval = 30;  // seconds

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// Open MPI gives ranks a terminal of their own, whatever its output goes to.
bool can_overwrite(std::FILE* out) {
  const char* const terminal = std::getenv("TERM");
  return isatty(fileno(out)) != 0 && !is_set("OMPI_COMM_WORLD_RANK") &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

/// Columns of the terminal; 80 if it does not say.
std::size_t width_of(std::FILE* out) {
  winsize size{};
  const bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

std::string format(const ProgressState& state, std::size_t width) {
  std::vector<std::string> parts;
  // Rounded down: 100 % means done.
  if (state.fraction >= 0)
    parts.push_back(fmt::format("{:.0f} %", std::floor(100 * state.fraction)));
  if (state.seconds_left >= 0) parts.push_back(format_duration(state.seconds_left) + " left");
  if (!state.goal.empty()) parts.push_back(state.goal);
  parts.push_back(fmt::format("step {}", state.step));
  if (state.steps > 0) parts.back() += fmt::format("/{}", state.steps);
  if (state.time != static_cast<double>(state.step)) {
    parts.push_back("t = " + quantity_text(state.time, state.time_unit, 4));
  }
  if (state.updates_per_second > 0) parts.push_back(format_rate(state.updates_per_second));
  if (state.effective_bandwidth > 0) {
    parts.push_back(fmt::format("{:.3g} GB/s", state.effective_bandwidth * 1e-9));
    if (state.copy_bandwidth > 0)
      parts.back() += fmt::format(" ({:.0f} % of copy)",
                                  100 * state.effective_bandwidth / state.copy_bandwidth);
  }
  std::string line = parts.front().substr(0, width);
  for (std::size_t n = 1; n < parts.size() && line.size() + 2 + parts[n].size() <= width; ++n) {
    line += "  " + parts[n];
  }
  return line;
}

std::string format_rate(double updates_per_second) {
  return updates_per_second < 1e7 ? fmt::format("{:.3g} MLUP/s", updates_per_second * 1e-6)
                                  : fmt::format("{:.3g} GLUP/s", updates_per_second * 1e-9);
}

std::string format_duration(double seconds) {
  constexpr double longest = 1e9;  // beyond, the estimate says nothing
  if (!(seconds < longest)) return "for ever";
  const auto all = static_cast<Index>(std::ceil(std::max(0.0, seconds)));
  const Index days = all / 86400, hours = all / 3600 % 24, minutes = all / 60 % 60;
  if (days > 0) return fmt::format("{} d {:02}:{:02}", days, hours, minutes);
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, all % 60);
  if (minutes > 0) return fmt::format("{}:{:02}", minutes, all % 60);
  return fmt::format("{} s", all);
}

Progress::Progress(std::FILE* out, Plan plan, Style style)
    : out_(out),
      meter_(std::move(plan)),
      terminal_(style == Style::automatic ? can_overwrite(out) : style == Style::terminal),
      colour_(terminal_ && !is_set("NO_COLOR")) {}

void Progress::update(Index step, double time, double wall) {
  if (wall - meter_.measured() < (terminal_ ? terminal_interval : plain_interval)) return;
  draw(meter_.measure(step, time, wall));
}

void Progress::finish(Index step, double time, double wall, bool over) {
  ProgressState state = meter_.measure(step, time, wall);
  const ProgressPlan& plan = meter_.plan();
  const double seconds = std::max(wall, 1e-9);
  state.updates_per_second = plan.cells * static_cast<double>(step - plan.first_step) / seconds;
  state.effective_bandwidth = state.updates_per_second * plan.bytes_per_update;
  state.seconds_left = -1;
  if (over) state.fraction = 1;
  draw(state);
  if (live_) std::fputc('\n', out_);
  live_ = false;
  std::fflush(out_);
}

void Progress::say(std::string_view line) {
  if (live_) std::fputs("\r\x1b[K", out_);
  live_ = false;
  std::fwrite(line.data(), 1, line.size(), out_);
  std::fputc('\n', out_);
  std::fflush(out_);
}

void Progress::draw(const ProgressState& state) {
  std::string line =  // a wrapped line cannot be overwritten
      format(state, terminal_ ? width_of(out_) - 1 : std::string::npos);
  if (terminal_) {
    const char* const on = colour_ ? "\x1b[36m" : "";
    const char* const off = colour_ ? "\x1b[0m" : "";
    line = fmt::format("\r{}{}{}\x1b[K", on, line, off);
  } else {
    line += '\n';
  }
  std::fputs(line.c_str(), out_);
  std::fflush(out_);
  live_ = terminal_;
}

}  // namespace goban
