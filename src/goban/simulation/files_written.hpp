#pragma once
// What a run writes, as far as schedules of steps and simulated times say it.

namespace goban {

struct FilesWritten {
  struct Kind {
    double times = 0, bytes = 0;
  };
  Kind outputs, checkpoints;
};

}  // namespace goban
