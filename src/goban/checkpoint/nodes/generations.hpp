#pragma once
// Checkpoints of a run in one folder of a node: what there is, what goes.

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "goban/checkpoint/manifest.hpp"
#include "goban/checkpoint/nodes/lineage.hpp"

namespace goban {

enum class Protection : std::uint8_t { none, copies, parity };

Protection protection_of(const Manifest& manifest);

/// By their steps, the best protection of each.
using Generations = std::map<Index, Protection>;

/// Those with a manifest that are of this past. One whose manifest cannot be read is among them, so
/// that whoever wants it hears why not; a folder that cannot be read has none.
Generations committed_in(const std::filesystem::path& folder, const Lineage& lineage);

/// That are to go: `keep` others are newer and protected as well, or better.
std::vector<Index> outdated(const Generations& all, int keep);

/// Removes entries of `folder` that are no checkpoint, or one of a step that `keeps` does not want.
/// A checkpoint loses its name before its files. What cannot be removed stays: several processes
/// may do the same.
void remove_generations(const std::filesystem::path& folder,
                        const std::function<bool(Index step)>& keeps);
void remove_generation(const std::filesystem::path& path);

/// Removes folders beside the run's own that earlier runs of its name have left, but for the last.
void remove_earlier_runs(const std::filesystem::path& folder, const std::string& name,
                         const std::string& own);

}  // namespace goban
