#pragma once
// Signals that steer a run: SIGUSR1 saves a checkpoint; SIGTERM, SIGINT, when its terminal is
// closed SIGHUP and when its processor time is over SIGXCPU save and stop; a second SIGINT quits at
// once with exit code 130, the terminal as it was found. Nobody reading its output any more
// (SIGPIPE) does not end it; nor does SIGHUP under nohup.

#include <functional>
#include <memory>

namespace goban {

/// While it lives, these signals set flags that the driver polls; before and after, they do what
/// they did. The handlers only set flags; interrupted system calls are resumed. A thread waits for
/// the second SIGINT; a third one does not wait for its last words.
///
/// Errors: usage if another one lives.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// For programs whose one purpose is a run, first in main(): from now on to the end of the
  /// process signals do not kill. The next SignalWatch hears those that came before it; those that
  /// come after it do nothing, but for a second SIGINT.
  static void begin_for_process();

  /// No other one lives: of several ranks that are threads of a process one can have it.
  static bool is_free();

  /// True once per request; requests that come before it is asked are one.
  static bool take_checkpoint_request();

  /// The first signal that asked to stop, 0 if none has or none is heard.
  static int stop_signal();

  /// What is done, on a thread, before the second SIGINT ends the process; null: nothing.
  void set_last_words(std::function<void()> last_words);
  /// To be called before what last words must not be followed by: does not return if they have
  /// begun.
  void let_quit();

 private:
  struct Quitter;
  std::unique_ptr<Quitter> quitter_;
};

}  // namespace goban
