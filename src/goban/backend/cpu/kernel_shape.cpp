#include "goban/backend/cpu/kernel_shape.hpp"

#include <algorithm>

namespace goban::cpu {
namespace {

int computed_bytes(ElementType type) {
  return static_cast<int>(type == ElementType::half ? sizeof(float) : size_of(type));
}

InputShape input_shape(const Footprint& footprint, int position, const std::array<int, 3>& order,
                       bool is_updated) {
  const auto fast = static_cast<std::size_t>(order[0]);
  const auto middle = static_cast<std::size_t>(order[1]);
  const auto slow = static_cast<std::size_t>(order[2]);
  InputShape shape;
  int reads = 0;
  for (const Read& read : footprint.reads) {
    if (read.parameter != position) continue;
    ++reads;
    shape.slow_low = std::max(shape.slow_low, -read.offset[slow]);
    shape.slow_high = std::max(shape.slow_high, read.offset[slow]);
    shape.middle_low = std::max(shape.middle_low, -read.offset[middle]);
    shape.middle_high = std::max(shape.middle_high, read.offset[middle]);
    shape.along_rows = shape.along_rows || read.offset[fast] != 0;
    if (read.offset[slow] != 0) shape.outer_high = std::max(shape.outer_high, read.offset[middle]);
  }
  shape.has_reads = reads > 0;
  if (reads == 0) return shape;
  // Each component read once has no reuse: as many streams as components.
  const int count = footprint.parameters[static_cast<std::size_t>(position)].components;
  const bool reads_once = count > 1 && reads <= count && !is_updated;
  shape.fetch = reads_once ? Fetch::streams : count <= 4 ? Fetch::plane : Fetch::none;
  return shape;
}

}  // namespace

KernelShape::KernelShape(const Stage& stage, const InstructionSet& isa) {
  using Kind = ParameterDescription::Kind;
  const Footprint& footprint = stage.footprint;
  const auto& parameters = footprint.parameters;
  is_reduction = stage.kind == Stage::Kind::reduce;
  reads_other_grids = goban::reads_other_grids(stage);
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p].kind == Kind::field || parameters[p].kind == Kind::scratch) {
      widest = std::max(widest, computed_bytes(parameters[p].type));
    }
    const auto& field = stage.arguments[p].field;
    if (!field) continue;
    order = field->order;
    if (field->in_place && stage.arguments[p].access != Access::in) writes_in_place = true;
  }
  width = isa.vector_bytes / widest;
  chunk = (widest == 1 ? 8 : 16) * 64 / widest;
  constexpr std::size_t many_reads = 16;
  constexpr Index much_arithmetic = 64;
  is_large = footprint.reads.size() > many_reads || footprint.flops > much_arithmetic;
  int reach = 0;
  Index rows = 0;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const bool is_updated = parameters[p].access == Access::inout;
    InputShape input = parameters[p].kind == Kind::field
                           ? input_shape(footprint, static_cast<int>(p), order, is_updated)
                           : InputShape{};
    reach = std::max({reach, input.slow_low, input.slow_high});
    if (input.fetch == Fetch::plane) streams += parameters[p].components;
    if (input.fetch != Fetch::none) {
      rows +=
          group + input.slow_low + input.slow_high + (input.middle_low + input.middle_high) * group;
    }
    inputs.push_back(input);
  }
  is_list = !stage.list_reads.empty();
  if (is_reduction || writes_in_place || reads_other_grids || stage.columns || is_list) {
    for (InputShape& input : inputs) {
      const bool is_fetched = is_list           ? false
                              : writes_in_place ? input.fetch == Fetch::streams
                                                : is_reduction && !reads_other_grids;
      if (!is_fetched) input.fetch = Fetch::none;
    }
    return;
  }
  const std::size_t outputs = footprint.outputs.size();
  if (widest == 1 && reach > 0 && outputs == 1) planes = 8;
  const bool can_fetch = std::all_of(inputs.begin(), inputs.end(), [](const InputShape& input) {
    return 1 + (input.slow_low + input.slow_high + group - 1) / group <= most_shares;
  });
  walks_groups = reach > 1 && outputs <= 2 && can_fetch;
  if (walks_groups) {
    constexpr Index cache = 24 << 10, grain = 32;
    piece = std::max(grain, cache / (std::max<Index>(rows, 1) * widest) / grain * grain);
    planes = 1;
    for (InputShape& input : inputs) {
      if (input.fetch == Fetch::plane) input.fetch = Fetch::group;
    }
  } else if (reach > 0 && outputs <= 2) {
    planes_in_cache = 2;
  }
}

}  // namespace goban::cpu
