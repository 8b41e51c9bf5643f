#pragma once
// The machine a program runs on: cores, threads, executors, options. Nothing else wires them.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "goban/grid/grid.hpp"

namespace goban {

class Executor;
class ThreadTeam;
enum class Helpers : std::uint8_t;

/// Owns the threads; grids refer to it and must not outlive it.
class Runtime : public GridContext {
 public:
  /// Takes the --goban-* options out of the command line (argc and argv are shortened) and the
  /// environment variables of the same names (GOBAN_THREADS, ...), which they override:
  ///   --goban-threads N                   --goban-backend cpu|scalar|reference|emulated
  ///   --goban-devices cpu|cuda|cuda:0,1|cuda+cpu   --goban-balance off|keep|choose
  ///   --goban-speeds 1,3,10               (of emulated devices)
  ///   --goban-delay MICROSECONDS          --goban-delay-seed N       (likewise)
  ///   --goban-patches X,Y,Z               --goban-cuts "30,34;;"     (extents per axis)
  ///   --goban-steps-per-exchange R        --goban-overlap auto|none|one-kernel|two-kernel
  ///   --goban-temporal-blocking auto|off|N  --goban-seed N  --goban-help
  ///   --goban-launches tuned|anew|preset|"2x4 32x8x1 slabs"  (Settings::launches)
  ///   --goban-trace FILE                  (what ran when, for ui.perfetto.dev)
  ///   --goban-transport auto|peer|nccl|mpi|host   (the way of messages between ranks)
  ///   --goban-halo-precision full|single|half
  ///   --goban-link 50us,1GB/s             (makes messages between ranks slow, for experiments)
  /// Errors (ExitCode::usage): an unknown --goban-* option, a value out of range; (files): a trace
  /// that cannot be written. From here on, an Error that the program does not catch is printed as
  /// one line and ends it with its exit code.
  Runtime(int& argc, char** argv);
  explicit Runtime(const Settings& settings = {});
  ~Runtime() override;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  const Settings& settings() const override { return settings_; }
  std::unique_ptr<FieldStore> make_store(GridState& grid) override;
  std::shared_ptr<Communicator> communicator() override { return settings_.communicator; }
  Timeline* timeline() override { return timeline_.get(); }

  ThreadTeam& team();
  int threads() const;
  /// What computes, for banners and reports.
  std::string description() const;

 private:
  std::shared_ptr<Executor> with_trace(std::shared_ptr<Executor> executor) const;
  std::shared_ptr<Executor> make_cpu() const;
  std::vector<std::shared_ptr<Executor>> make_executors(int patches, Helpers helpers);
  std::string threads_text() const;

  Settings settings_;
  std::unique_ptr<Timeline> timeline_;  ///< null: no trace is asked for
  std::shared_ptr<ThreadTeam> team_;
  std::map<int, std::shared_ptr<Executor>> gpus_;  ///< by number
  std::shared_ptr<Executor> helper_;  ///< the CPU beside other devices; null until it is needed
};

/// Sets one option by its name without the --goban- prefix; used by the command line too.
void set_option(Settings& settings, const std::string& name, const std::string& value);

}  // namespace goban
