#include "goban/backend/pass_length.hpp"

#include <algorithm>
#include <array>

#include "goban/backend/device_shape.hpp"

namespace goban {
namespace {

/// Returns whether a step renews only the fields that march (see DeviceShape::pairs), each passed
/// once and then swapped with its new values, and reads neighbours of no other field.
bool marches(const Stage& sweep, const std::vector<std::shared_ptr<Stage>>& stages) {
  std::vector<std::array<const FieldRecord*, 2>> pairs;
  const auto field = [&](int argument) {
    return sweep.arguments[static_cast<std::size_t>(argument)].field.get();
  };
  std::size_t outputs = 0;
  for (const auto& argument : sweep.arguments) {
    if (argument.field && argument.access == Access::out) ++outputs;
  }
  for (const MarchPair& pair : DeviceShape(sweep).pairs) {
    if (pair.in >= 0) pairs.push_back({field(pair.in), field(pair.out)});
  }
  if (pairs.empty() || outputs != pairs.size()) return false;
  const auto pair_of = [&](const FieldRecord* of) {
    return std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
      return std::find(pair.begin(), pair.end(), of) != pair.end();
    });
  };
  for (const Read& read : sweep.footprint.reads) {
    const FieldRecord* of = field(read.parameter);
    if (of && read.offset != std::array<int, 3>{} && pair_of(of) == pairs.end()) return false;
  }
  for (const auto& pair : pairs) {
    for (const FieldRecord* of : pair) {
      const auto uses = std::count_if(sweep.arguments.begin(), sweep.arguments.end(),
                                      [&](const auto& a) { return a.field.get() == of; });
      if (uses != 1 || of->location != pairs.front().front()->location) return false;
    }
  }
  std::size_t permutations = 0;
  for (const auto& stage : stages) {
    if (stage->kind != Stage::Kind::permute) continue;
    ++permutations;
    const auto& names = stage->names;
    if (names.size() != 2 || names[0] == names[1]) return false;
    const auto pair = pair_of(names[0].get());
    if (pair == pairs.end() || pair != pair_of(names[1].get())) return false;
  }
  return permutations == pairs.size();
}

}  // namespace

std::string refusal_of_device_passes(const std::vector<std::shared_ptr<Stage>>& stages, int steps,
                                     bool has_copy_engine) {
  if (!has_copy_engine) return "passes need a GPU that copies ahead by itself";
  const Stage* sweep = nullptr;
  for (const auto& stage : stages) {
    if (stage->kind == Stage::Kind::permute) continue;
    if (!stage->is_sweep() || sweep) return "on GPUs a pass has one stage";
    sweep = stage.get();
  }
  if (!sweep) return "nothing is computed";
  if (!sweep->covers_everything()) return "on GPUs a pass updates all cells";
  const DeviceShape shape(*sweep);
  if (!shape.marches(steps)) {
    return "stage '" + sweep->name + "' has no kernel for passes of " + std::to_string(steps) +
           " steps on GPUs";
  }
  if (!marches(*sweep, stages)) {
    return "on GPUs a pass renews the fields that neighbours are read of and no others";
  }
  for (const auto& argument : sweep->arguments) {
    if (!argument.field) continue;
    for (const auto& component : argument.field->boundary) {
      for (const auto& axis : component.sides) {
        for (const auto& side : axis) {
          using Kind = BoundaryCondition::Kind;
          if (side.kind != Kind::periodic && side.kind != Kind::constant) {
            return "on GPUs passes know constant and periodic boundaries alone";
          }
        }
      }
    }
  }
  return {};
}

int longest_pass_on_devices(const std::vector<std::shared_ptr<Stage>>& stages,
                            bool has_copy_engine) {
  int steps = 4;
  while (steps > 1 && !refusal_of_device_passes(stages, steps, has_copy_engine).empty()) --steps;
  return steps;
}

int longest_pass_on_cpus(const std::vector<std::shared_ptr<Stage>>& stages) {
  int sweeps = 0, reads = 0, reach = 0, components = 0;
  for (const auto& stage : stages) {
    if (!stage->is_sweep()) continue;
    ++sweeps;
    if (stage->footprint.branching || stage->columns) return 1;
    for (const Read& r : stage->footprint.reads) {
      for (int o : r.offset) reach = std::max(reach, std::abs(o));
      ++reads;
    }
    for (const auto& argument : stage->arguments) {
      if (argument.field) components += argument.field->components;
    }
  }
  // Long reaches and many reads per cell leave no bandwidth-bound time to save.
  if (sweeps == 0 || components > 8 || reach > 2 || reads > 12 * sweeps) return 1;
  // Every step more keeps as many planes more of every component in the cache as it reaches over.
  constexpr int most = 12, planes_of_cache = 24;
  return std::clamp(planes_of_cache / (components * sweeps * std::max(1, reach)), 1, most);
}

}  // namespace goban
