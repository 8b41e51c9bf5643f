#include "goban/base/process/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace goban {

void reserve_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // The lowest number that is free: those below are taken.
    if (::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

}  // namespace goban
