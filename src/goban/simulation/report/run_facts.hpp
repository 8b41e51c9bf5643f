#pragma once
// How a run is set up, for reports.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "goban/grid/list_halos.hpp"
#include "goban/simulation/plan/run_plan.hpp"

namespace goban {

struct StageFacts {
  std::string name;
  bool vectorized = false;
};

struct RunFacts {
  std::string app, name, title;
  Index3 cells{0, 0, 0};
  std::optional<Index3> box{};  ///< holds the active cells, which `cells` counts
  Real3 spacing{1, 1, 1};
  std::string length_unit, time_unit;
  Index3 patches{1, 1, 1};
  std::optional<ListCut> list{};    ///< how a list of active cells is cut, once it is known
  double predicted_halo_share = 0;  ///< the share in single steps, see predicted_step
  int ranks = 1, machines = 1;      ///< ranks that run it together, and their machines
  int idle_ranks = 0;               ///< ranks without a patch
  Backend backend = Backend::cpu;
  Overlap overlap = Overlap::none;
  HaloPrecision halo_precision = HaloPrecision::full;
  Subnormals subnormals = Subnormals::keep;
  std::vector<std::string> unused;  ///< settings of messages, where none are sent
  int threads = 1;                  ///< threads of each rank
  int cores = 1;                    ///< cores that rank 0 may run on, threads of a core counted
  std::string processor, instruction_set;
  std::vector<std::string> gpus;  ///< names of those that compute, and of a CPU beside them
  int steps_per_exchange = 1, steps_per_pass = 1;
  std::string pass_refusal;
  double bytes_per_update = 0, flops_per_update = 0;
  Index bytes_needed = 0, bytes_available = 0;  ///< bytes on all ranks together
  /// What the copy bandwidth takes for a moment, on all machines; 0: it is not measured.
  Index bytes_to_measure = 0;
  /// Bytes on the ranks of this rank's machine together.
  Index needed_here = 0, available_here = 0;
  std::vector<StageFacts> stages;
  std::vector<std::string> fields;                             ///< "u float32 x 3"
  std::vector<std::pair<std::string, std::string>> schedules;  ///< what, when
  std::map<std::string, std::string> result_units;
  std::string rates;  ///< machine file that predictions are made with
  bool rates_are_of_this_host = false;
  std::string directory;

  double cell_count() const { return static_cast<double>(product(cells)); }
};

RunFacts facts_of(const RunPlan& plan, Engines& engines);
/// Patches, and what follows from them, as they are now. Collective.
void update_patches(RunFacts& facts, GridState& grid);

/// Version, compiler, machine and seed: name and value, the same for every run of one setting.
std::vector<std::pair<std::string, std::string>> provenance_of(const RunPlan& plan);

/// Collective. Error (resources): the run needs more memory than there is on a machine.
void check_memory(const RunFacts& facts, Communicator& ranks);

}  // namespace goban
