#pragma once
// STATUS of a run, whatever ends it.

#include <chrono>
#include <filesystem>
#include <string>

#include "goban/simulation/run/signals.hpp"

namespace goban {

/// STATUS says "running" from its construction on. It says why the run has ended if a rank dies or
/// the process is told for the second time to stop, when nobody else can say so; then what was
/// being written is removed.
class StatusFile {
 public:
  enum class Writer {
    first,   ///< rank 0
    deputy,  ///< rank 1, which writes when rank 0 dies
    none
  };
  /// `go_on`: what a user types to go on. `signals`: null where this process does not hear them.
  /// Error (files).
  StatusFile(std::filesystem::path directory, Writer writer, const std::string& go_on,
             SignalWatch* signals);
  ~StatusFile();
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;

  /// Once a minute at most: the date in the file tells others that the run goes on.
  void show_life();
  /// The run has ended; its process is about to say how. Does not return if it is told to quit.
  void close();
  /// After close(). Error (files).
  void write(const std::string& status) const;

 private:
  std::filesystem::path directory_;
  Writer writer_;
  SignalWatch* signals_;
  std::chrono::steady_clock::time_point last_sign_ = std::chrono::steady_clock::now();
};

}  // namespace goban
