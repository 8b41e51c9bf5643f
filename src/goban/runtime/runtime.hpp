#pragma once
// The machine a program runs on: cores, threads, executors, options. Nothing else wires them.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "goban/grid/grid.hpp"
#include "goban/runtime/options.hpp"

namespace goban {

class Executor;
class ThreadTeam;
enum class Helpers : std::uint8_t;

/// Owns the threads; grids refer to it and must not outlive it.
class Runtime : public GridContext {
 public:
  /// Takes the --goban-* options out of the command line (argc and argv are shortened) and the
  /// environment variables of the same names (GOBAN_THREADS, ...), which they override;
  /// --goban-help lists them. So does --help where it is all that is left and the program goes on
  /// to compute: one that takes it itself has ended before that.
  /// Errors (ExitCode::usage): an unknown --goban-* option, a value out of range; (files): a trace
  /// that cannot be written. From here on, an Error that the program does not catch is printed as
  /// one line and ends it with its exit code.
  Runtime(int& argc, char** argv);
  explicit Runtime(const Settings& settings = {});
  ~Runtime() override;
  /// Before the first runtime: the GPUs of this process are so many of an architecture (90) that
  /// are not there, to have kernels compiled for such ones (Simulation::rehearse). Error
  /// (ExitCode::usage): built without CUDA.
  static void rehearse_gpus(int capability, int count);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Fields have no values from now on, nor memory: for programs that are asked what they would do
  /// with the devices that there are (Run::dry_run). What is set is forgotten, what is asked for is
  /// 0.
  void leave_fields_empty() { has_values_ = false; }

  const Settings& settings() const override { return settings_; }
  std::unique_ptr<FieldStore> make_store(GridState& grid) override;
  std::shared_ptr<Communicator> communicator() override { return settings_.communicator; }
  const MachineRates& machine() const override { return *machine_; }
  Timeline* timeline() override { return timeline_.get(); }

  /// The number of this process, from 0, among the `ranks()` that run the program.
  int rank() const { return settings_.communicator->rank(); }
  int ranks() const { return settings_.communicator->size(); }
  ThreadTeam& team();
  int threads() const;
  /// What computes, for banners and reports.
  std::string description() const;

 private:
  std::shared_ptr<Executor> with_trace(std::shared_ptr<Executor> executor) const;
  std::shared_ptr<Executor> make_cpu() const;
  std::vector<std::shared_ptr<Executor>> make_executors(int patches, Helpers helpers);
  std::string threads_text() const;

  void find_machine();

  Settings settings_;
  bool is_help_wanted_ = false, has_values_ = true;
  std::unique_ptr<Timeline> timeline_;  ///< null: no trace is asked for
  std::unique_ptr<const MachineRates> machine_;
  std::shared_ptr<ThreadTeam> team_;
  std::map<int, std::shared_ptr<Executor>> gpus_;  ///< executors of GPUs, by number
  std::shared_ptr<Executor> helper_;  ///< the CPU beside other devices; null until it is needed
};

}  // namespace goban
