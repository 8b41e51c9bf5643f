#include "goban/backend/device_shape.hpp"

#include <algorithm>
#include <cstdlib>

#include "goban/backend/otherwise_values.hpp"

namespace goban {
namespace {

/// Returns the registers that all components of one field fill for a cell.
int registers_of(const ParameterDescription& parameter) {
  const auto computed = std::max<std::size_t>(4, size_of(parameter.type));
  const auto bytes = parameter.type == ElementType::uint8 ? 1 : computed;
  return (parameter.components * static_cast<int>(bytes) + 3) / 4;
}

/// Returns the most registers that values of a cell fill at the same time if they are computed in
/// the functor's order.
int registers_at_once(const Graph& graph) {
  const std::vector<int> results = results_of(graph);
  const std::vector<int> order = graph.needed_for(results);
  std::vector<std::size_t> last_use(graph.nodes().size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    for (const int operand : graph.node(order[at]).operands) {
      if (operand >= 0) last_use[static_cast<std::size_t>(operand)] = at;
    }
  }
  for (const int result : results) {
    if (result >= 0) last_use[static_cast<std::size_t>(result)] = order.size();
  }
  const auto bytes_of = [&](int n) {
    const GraphType& type = graph.node(n).type;
    return type.varies ? static_cast<int>(type.bytes) : 0;
  };
  std::vector<int> bytes_left(order.size() + 1);
  int bytes = 0, most = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    bytes += bytes_of(order[at]);
    bytes_left[last_use[static_cast<std::size_t>(order[at])]] += bytes_of(order[at]);
    most = std::max(most, bytes);
    bytes -= bytes_left[at];
  }
  return (most + 3) / 4;
}

/// Whether a parameter is a field of one component that is computed in the type in which it is
/// stored.
bool is_plain(const ParameterDescription& parameter) {
  return parameter.kind == ParameterDescription::Kind::field && parameter.components == 1 &&
         parameter.type != ElementType::half;
}

MarchPairs pairs_of(const Footprint& footprint, int width) {
  const auto& parameters = footprint.parameters;
  const int count = static_cast<int>(parameters.size());
  const auto at = [&](int p) -> const ParameterDescription& {
    return parameters[static_cast<std::size_t>(p)];
  };
  int outputs = 0, result = -1;
  for (int p = 0; p < count; ++p) {
    if (at(p).kind != ParameterDescription::Kind::field || at(p).access != Access::out) continue;
    if (result < 0) result = p;
    if (!is_plain(at(p)) || at(p).type != at(result).type || outputs == most_march_pairs) return {};
    ++outputs;
  }
  if (outputs == 0) return {};
  std::vector<int> reads(parameters.size()), beside(parameters.size()), oblique(parameters.size());
  for (const Read& read : footprint.reads) {
    const auto p = static_cast<std::size_t>(read.parameter);
    const auto offsets = 3 - std::count(read.offset.begin(), read.offset.end(), 0);
    ++reads[p];
    beside[p] += offsets > 0 ? 1 : 0;
    oblique[p] += offsets > 1 ? 1 : 0;
  }
  std::vector<bool> marches(parameters.size());
  bool is_star = true;
  int most_beside = 0;
  for (int n = 0; n < outputs; ++n) {
    int best = -1;
    for (int p = 0; p < count; ++p) {
      const auto i = static_cast<std::size_t>(p);
      if (marches[i] || reads[i] == 0 || !is_plain(at(p)) || at(p).type != at(result).type ||
          static_cast<int>(size_of(at(p).type)) * width != 16 || (outputs == 1 && beside[i] == 0)) {
        continue;
      }
      if (best < 0 || reads[i] > reads[static_cast<std::size_t>(best)]) best = p;
    }
    if (best < 0) return {};
    const auto i = static_cast<std::size_t>(best);
    marches[i] = true;
    is_star = is_star && oblique[i] == 0;
    most_beside = std::max(most_beside, beside[i]);
  }
  if (!is_star || most_beside == 0) return {};
  MarchPairs found{};
  std::size_t in = 0, out = 0;
  for (int p = 0; p < count; ++p) {
    if (marches[static_cast<std::size_t>(p)]) found[in++].in = p;
    if (at(p).kind == ParameterDescription::Kind::field && at(p).access == Access::out)
      found[out++].out = p;
  }
  return found;
}

}  // namespace

int StarReach::farthest() const { return std::max({fast, middle, slow}); }

DeviceShape::DeviceShape(const Stage& stage) {
  const Footprint& footprint = stage.footprint;
  is_reduction = stage.kind == Stage::Kind::reduce;
  for (std::size_t p = 0; p < footprint.parameters.size(); ++p) {
    const ParameterDescription& parameter = footprint.parameters[p];
    if (parameter.kind != ParameterDescription::Kind::field) continue;
    const auto& field = stage.arguments[p].field;
    widest_stored = std::max(widest_stored, static_cast<int>(size_of(parameter.type)));
    most_registers = std::max(most_registers, registers_of(parameter));
    updates = updates || parameter.access == Access::inout;
    if (!field) continue;
    order = field->order;
    if (!field->in_place) continue;
    updates = true;
    writes_in_place = writes_in_place || parameter.access == Access::out;
    most_in_place = std::max(most_in_place, parameter.components);
  }
  if (stage.columns) updates = true;
  const auto grid = grid_of(stage);
  is_list = grid && grid->active;
  reads_other_grids = goban::reads_other_grids(stage);
  if (!footprint.branching && !stage.columns) {
    // Functors of reductions often go over a cell twice.
    const int register_budget = is_reduction ? 32 : 80;
    width = 16 / widest_stored;
    while (width > 1 && width * most_registers > register_budget) width /= 2;
    if (has_many_values() && !is_reduction) {
      // The registers of a thread where two blocks of 256 threads run at once, see least_blocks().
      // The compiler keeps the rest in memory, which takes several times as long as the sweep.
      constexpr int most_of_thread = 128;
      const int of_cell = registers_at_once(*stage.graph);
      const auto otherwise = otherwise_values(*stage.graph, results_of(*stage.graph));
      reads_otherwise = width * of_cell > most_of_thread &&
                        std::find(otherwise.begin(), otherwise.end(), true) != otherwise.end();
      while (width > 1 && (width * of_cell > most_of_thread || reads_otherwise)) width /= 2;
    }
  }
  if (!stage.list_reads.empty()) width = 1;  // neighbours of neighbours lie anywhere
  read_registers = static_cast<int>(footprint.reads.size()) * width * widest_stored / 4;
  const auto along = [&](const Read& read, std::size_t position) {
    return std::abs(read.offset[static_cast<std::size_t>(order[position])]);
  };
  for (const Read& read : footprint.reads) reach = std::max(reach, along(read, 2));
  constexpr int most_read = 128, most_operations = 64, most_outputs = 4;
  const Index operations = footprint.flops + footprint.integer_operations;
  fills_thread = (reach > 1 && (read_registers > most_read || operations > most_operations)) ||
                 footprint.outputs.size() > most_outputs;
  if (is_reduction || updates || reads_other_grids || width == 1) return;
  pairs = pairs_of(footprint, width);
  for (const MarchPair& pair : pairs) pair_count += pair.in >= 0 ? 1 : 0;
  for (const Read& read : footprint.reads) {
    if (std::none_of(pairs.begin(), pairs.end(),
                     [&](const MarchPair& pair) { return pair.in == read.parameter; })) {
      continue;
    }
    star.fast = std::max(star.fast, along(read, 0));
    star.middle = std::max(star.middle, along(read, 1));
    star.slow = std::max(star.slow, along(read, 2));
  }
}

bool DeviceShape::marches(int steps) const {
  if (pair_count == 0 || star.slow < 1) return false;
  if (star.farthest() == 1) return steps == (pair_count > 1 ? 2 : 4);
  return steps == 1 && pair_count == 1 && star.farthest() <= 4 && star.fast <= width;
}

std::vector<ThreadBlock> DeviceShape::blocks() const {
  const bool has_one = is_reduction || updates || reads_other_grids || reach == 0;
  if (has_one || has_many_values() || fills_thread) return {{}};
  if (reach > 1) return {{}, {2, 4}};
  return {{}, {1, widest_stored == 1 ? 4 : 2}, {2, 4}};
}

std::array<int, 3> DeviceShape::threads() const {
  if (has_many_values()) return {128, 1, 1};
  if (is_list) return {256, 1, 1};
  return {32, 8, 1};
}

int DeviceShape::least_blocks(int block_cells) const {
  if (has_many_values()) return 2;
  if (block_cells > 1) return 1;
  return updates && read_registers >= 80 ? 2 : 0;
}

}  // namespace goban
