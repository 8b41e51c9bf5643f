#pragma once
// Notices ranks that die, stop or hang, and ends the program with one line that names them.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "goban/base/communicator.hpp"
#include "goban/base/error.hpp"

namespace goban {

struct WatchOptions {
  bool is_on = true;
  double silence = 10;   ///< seconds without a sign of life
  double patience = 20;  ///< seconds of a sweep without progress while another rank waits
};

/// "off", "SECONDS" or "SECONDS,SECONDS": GOBAN_WATCH. Error (ExitCode::usage): none of them.
WatchOptions watch_options(const char* text);

/// A thread beside the program's that knows nothing of MPI: ranks are connected by sockets, in a
/// tree, and tell each other every second that they live. A closed connection is a death. What a
/// rank does it learns from activity_board; rank 0 decides who hangs. On a verdict rank 0 (rank 1,
/// if it is about rank 0) prints a line, and every process ends with ExitCode::peer_lost.
class Watch {
 public:
  /// What this process does, on a thread of the watch, before it ends on a verdict; null: nothing.
  /// `why` is the line that this process has printed, empty where another one has.
  static void set_last_words(std::function<void(const std::string& why)> last_words);

  /// The run of this rank was asked to stop and has done so: launchers that pass on a signal kill
  /// ranks in any order soon after. One that is lost from now on is no news, and the others end
  /// with ExitCode::resubmit.
  static void note_stopped();

  /// Collective. Null if GOBAN_WATCH is off, or if ranks cannot reach each other: rank 0 warns.
  /// `world` is used to end the processes, until forget_world().
  static std::shared_ptr<Watch> start(Communicator& world);
  /// That of this process, null if there is none.
  static std::shared_ptr<Watch> current();

  /// Ends in order: this rank is to be missed by nobody.
  ~Watch();

  int rank() const;
  void forget_world();
  /// Returns when all ranks have called this: at exit(), which others may be far from.
  void wait_for_exit();
  /// This rank ends with this code and has said why: all others end with it, too.
  void abandon(int exit_code) noexcept;

  enum class Answer {
    print,    ///< all fail alike and this is rank 0
    silence,  ///< all fail alike
    speak     ///< this rank names itself; then speak() is over, and so is the process
  };
  /// Not collective. Returns when it is known what this error means; not at all if another rank
  /// speaks.
  Answer fail(int exit_code, const std::string& text);
  [[noreturn]] void end_after_speaking(int exit_code);

 private:
  struct Thread;
  explicit Watch(std::unique_ptr<Thread> thread);
  std::unique_ptr<Thread> thread_;
};

}  // namespace goban
