#include "goban/simulation/checkpointer/memory_of_checkpoints.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <filesystem>

#include "goban/base/error.hpp"
#include "goban/checkpoint/nodes/folders.hpp"
#include "goban/checkpoint/nodes/layout.hpp"
#include "goban/checkpoint/nodes/record.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/data/rank_values.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

bool is_in_memory(fs::path folder) {
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  struct statfs system {};
  return ::statfs(folder.c_str(), &system) == 0 &&
         (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

Index bytes_below(const fs::path& folder) {
  Index bytes = 0;
  for (const fs::directory_entry& entry : entries_below(folder)) {
    std::error_code gone;
    const bool is_file = entry.is_regular_file(gone);
    const std::uintmax_t size = is_file ? entry.file_size(gone) : 0;
    if (!gone) bytes += static_cast<Index>(size);
  }
  return bytes;
}

Index bytes_of_state(const RunPlan& plan, const Engines& engines) {
  Index bytes = 0;
  for (const LiveField& field : engines.live_fields()) {
    const FieldRecord& record = *field.record;
    const Decomposition& decomposition = decomposition_of(*field.grid);
    const Box own = values_of_rank(decomposition, *field.grid, record, plan.communicator()->rank());
    bytes += own.volume() * record.components * static_cast<Index>(record.element_size());
  }
  for (const auto& output : plan.outputs) bytes += output->bytes_needed();
  return bytes;
}

/// How many states of this rank are kept while one more is written.
double states_kept(const CheckpointPolicy& policy) {
  const NodeCheckpoints& nodes = policy.nodes;
  const double parity = static_cast<double>(nodes.lost) / std::max(1, nodes.group - nodes.lost);
  double kept = 0, largest = 0;
  const auto add = [&](const When& when, double states) {
    if (when.is_never()) return;
    kept += policy.keep * states;
    largest = std::max(largest, states);
  };
  add(nodes.local, 1);
  add(nodes.copies, 2);
  add(nodes.parity, 1 + parity);
  return kept + largest;
}

/// This rank's share of what its node has of the run that goes on.
Index bytes_there(const RunPlan& plan, const fs::path& folder) {
  const NodeLayout layout(nodes_of(plan.checkpoint_policy.nodes.folder, *plan.communicator()));
  if (plan.restart().from == Restart::From::beginning) return 0;
  const auto& ranks = layout.ranks_on(layout.node_of(plan.communicator()->rank()));
  try {
    const auto record = read_node_record(plan.directory());
    const Index bytes = record ? bytes_below(folder / record->folder_name()) : 0;
    return bytes / static_cast<Index>(ranks.size());
  } catch (const Error&) {  // the restart will say so
    return 0;
  }
}

}  // namespace

Index memory_of_checkpoints(const RunPlan& plan, const Engines& engines) {
  const CheckpointPolicy& policy = plan.checkpoint_policy;
  const Index state = bytes_of_state(plan, engines);
  if (plan.directory().empty()) return 0;
  const bool is_on_nodes = !policy.nodes.folder.empty();
  const Index copies = policy.background ? 2 : policy.compress || is_on_nodes ? 1 : 0;
  const Index bytes = copies * state;
  if (!is_on_nodes) return bytes;
  const fs::path folder = fs::absolute(
      folder_of(policy.nodes.folder, *plan.communicator(), plan.communicator()->rank()));
  if (!is_in_memory(folder)) return bytes;
  const auto kept = static_cast<Index>(states_kept(policy) * static_cast<double>(state));
  return std::max<Index>(0, bytes + kept - bytes_there(plan, folder));
}

}  // namespace goban
