#pragma once
// Signals that steer a run: SIGUSR1 saves a checkpoint; SIGTERM, SIGINT and, when its terminal is
// closed, SIGHUP save and stop; a second SIGINT quits at once with exit code 130, the terminal as
// it was found. Nobody reading its output any more (SIGPIPE) does not end it; nor does SIGHUP under
// nohup.

#include <signal.h>
#include <termios.h>

namespace goban {

/// While it lives, these signals set flags that the driver polls; before and after, they do what
/// they did. The handlers only set flags (and quit); interrupted system calls are resumed.
///
/// Errors: usage if another one lives.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// No other one lives: of several ranks that are threads of a process one can have it.
  static bool is_free();

  /// True once per request; requests that come before it is asked are one.
  bool take_checkpoint_request();

  /// The first signal that asked to stop, 0 if none has.
  int stop_signal() const;

 private:
  struct Installed {
    int signal;
    struct sigaction before;
  };
  Installed installed_[5];
};

}  // namespace goban
