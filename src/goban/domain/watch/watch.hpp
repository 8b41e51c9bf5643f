#pragma once
// Notices ranks that stop or hang, and ends the program with one line that names them.

#include <functional>
#include <memory>
#include <string>

#include "goban/base/communicator.hpp"

namespace goban {

struct WatchOptions {
  bool is_on = true;
  double silence = 10;   ///< seconds without a sign of life
  double patience = 20;  ///< seconds of a sweep without progress while another rank waits
};

/// Reads GOBAN_WATCH: "off", "SECONDS" or "SECONDS,SECONDS". Error (ExitCode::usage): none of them.
WatchOptions watch_options(const char* text);

/// A thread beside the program's that knows nothing of MPI. Every second each rank sends rank 0 a
/// datagram with what it does, as activity_board says, and is answered. Who is silent too long is
/// lost; a death on the same machine is seen at once, others are the launcher's to notice. Rank 0
/// decides who hangs (rank 1 judges rank 0), prints a line, and ends all processes with
/// ExitCode::peer_lost.
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
  /// `world` is used to end the processes.
  static std::shared_ptr<Watch> start(Communicator& world);
  /// The watch of this process, null if there is none.
  static std::shared_ptr<Watch> current();

  /// Nobody misses this rank, for all have come to their end.
  ~Watch();

  /// This rank ends all with this code and has said why: the others hear of it here, too, where
  /// the launcher leaves them the time.
  void tell_end(int exit_code) noexcept;
  /// All ranks come to their end now: one that is gone is no news.
  void overlook_losses() noexcept;

 private:
  struct Thread;
  explicit Watch(std::unique_ptr<Thread> thread);
  std::unique_ptr<Thread> thread_;
};

}  // namespace goban
