#include "cli/retries.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <ostream>
#include <set>
#include <sstream>
#include <thread>

#include "goban/base/error.hpp"
#include "goban/checkpoint/inventory.hpp"
#include "goban/checkpoint/nodes/store.hpp"
#include "goban/simulation/run/signals.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto between_looks = std::chrono::milliseconds(20);
constexpr int of_signals = 128;

/// A group of processes of its own: what a terminal sends to all reaches it once, passed on.
pid_t start(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    throw Error(ExitCode::resources, "cannot start " + words.front(), std::strerror(errno));
  }
  if (child > 0) return child;
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGINT);
  if (::getppid() != parent) ::_exit(of_signals + SIGINT);
  ::execvp(arguments.front(), arguments.data());
  const std::string text = "goban: cannot start " + words.front() + "\n";
  ::_exit(::write(STDERR_FILENO, text.data(), text.size()) < 0 ? 1 : 2);
}

/// The exit code; signals go on to it meanwhile. A request to save waits for the run to have begun:
/// before, it would kill its process.
int wait_for(pid_t child, const std::function<bool()>& has_begun) {
  bool has_passed_on = false;
  for (int status = 0;; std::this_thread::sleep_for(between_looks)) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) {
      return WIFSIGNALED(status) ? of_signals + WTERMSIG(status) : WEXITSTATUS(status);
    }
    if (has_begun() && SignalWatch::take_checkpoint_request()) ::kill(child, SIGUSR1);
    const int signal = SignalWatch::stop_signal();
    if (signal != 0 && !has_passed_on) ::kill(child, signal);
    has_passed_on = signal != 0;
  }
}

bool is_death(int code) {
  const std::set<int> may_go_better = {1, static_cast<int>(ExitCode::files),
                                       static_cast<int>(ExitCode::peer_lost),
                                       static_cast<int>(ExitCode::corrupted)};
  return may_go_better.contains(code) || (code > of_signals && code != of_signals + SIGINT);
}

std::string words_for(int code) {
  if (code > of_signals && code <= of_signals + SIGRTMAX) {
    const char* const name = ::sigabbrev_np(code - of_signals);
    if (name != nullptr) return std::string("SIG") + name;
  }
  return "exit code " + std::to_string(code);
}

/// -1: there is none.
Index newest_checkpoint(const fs::path& folder) {
  const auto shared = list_checkpoints(folder / "chk");
  const auto record = read_node_record(folder);
  const auto on_nodes = record ? store_of(*record)->entries() : std::vector<CheckpointEntry>{};
  return std::max(shared.empty() ? -1 : shared.front().step,
                  on_nodes.empty() ? -1 : on_nodes.front().step);
}

/// False: a signal to stop came in that time.
bool has_slept(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (SignalWatch::stop_signal() == 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(
        std::min<std::chrono::nanoseconds>(between_looks, end - std::chrono::steady_clock::now()));
  }
  return SignalWatch::stop_signal() == 0;
}

/// When the run that wrote there last has begun.
fs::file_time_type beginning_of(const fs::path& folder) {
  std::error_code error;
  const auto time = fs::last_write_time(folder / "run.toml", error);
  return error ? fs::file_time_type::min() : time;
}

}  // namespace

RunCommands run_commands(const std::vector<std::string>& arguments, const std::string& program,
                         const std::string& launcher) {
  RunCommands commands;
  std::istringstream words(launcher);
  for (std::string word; words >> word;) commands.first.push_back(word);
  commands.first.push_back(program);
  commands.again = commands.first;
  for (std::size_t n = 0; n < arguments.size(); ++n) {
    const std::string& word = arguments[n];
    const auto is = [&word](const std::string& name) {
      return word == name || word.starts_with(name + "=");
    };
    if (is("--retries") || is("--launcher") || is("--max-time")) {
      if (word.find('=') == std::string::npos) ++n;  // its value
      continue;
    }
    commands.first.push_back(word);
    if (!is("--overwrite") && !is("--restart")) commands.again.push_back(word);
  }
  commands.again.push_back("--restart");
  return commands;
}

int run_again(const RunCommands& commands, const fs::path& folder, const Retries& retries,
              std::ostream& err) {
  ::signal(SIGCHLD, SIG_DFL);  // where it is ignored nobody hears how a run has ended
  const auto before = beginning_of(folder);
  const auto started = std::chrono::steady_clock::now();
  auto delay = retries.delay;
  int last_code = 0;
  Index last_step = -1;
  for (int retry = 0;; ++retry) {
    // One that has died before it began has left the folder to an earlier run.
    const bool has_begun = beginning_of(folder) != before;
    const Index step = has_begun ? newest_checkpoint(folder) : -1;
    std::vector<std::string> words = has_begun ? commands.again : commands.first;
    const auto time_left = [&] {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
      return retries.max_time - spent.count();
    };
    if (std::isfinite(retries.max_time)) {
      words.push_back("--max-time=" + std::to_string(time_left()) + " s");
    }
    const auto at_start = beginning_of(folder);
    const int code = wait_for(start(words), [&] { return beginning_of(folder) != at_start; });
    const auto stop = [&] {
      err << "goban: stopped by a signal before the run began" << (has_begun ? " again" : "")
          << "\n"
          << std::flush;
      return static_cast<int>(ExitCode::resubmit);
    };
    // One that a signal has killed before it could hear it has not begun.
    const bool was_told = SignalWatch::stop_signal() != 0;
    if (was_told && code == of_signals + SignalWatch::stop_signal()) return stop();
    if (!is_death(code) || was_told) return code;
    const auto give_up = [&](const std::string& why) {
      err << "goban: the run has died (" << words_for(code) << "), " << why << "\n" << std::flush;
      return code;
    };
    const std::string from = step < 0 ? "the beginning" : "step " + std::to_string(step);
    if (retry > 0 && code == last_code && step == last_step) {
      return give_up("as before from " + from + ": it is not started again");
    }
    if (retry == retries.most) return give_up("and was started again often enough");
    if (time_left() <= std::chrono::duration<double>(delay).count()) {
      return give_up("and no time is left to start it again");
    }
    give_up("it is started again in " + std::to_string(delay.count()) + " ms, " +
            std::to_string(retry + 1) + " of " + std::to_string(retries.most));
    if (!has_slept(delay)) return stop();
    delay = std::min(2 * delay, retries.longest_delay);
    last_code = code;
    last_step = step;
  }
}

}  // namespace goban::cli
