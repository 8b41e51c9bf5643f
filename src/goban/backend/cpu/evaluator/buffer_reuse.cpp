#include "goban/backend/cpu/evaluator/buffer_reuse.hpp"

#include <algorithm>
#include <unordered_map>

namespace goban::cpu {

int reuse_buffers(std::vector<Instruction>& instructions) {
  struct Value {
    std::size_t last_use = 0;
    int buffer = -1;
    Lane lane = Lane::float32;
  };
  std::unordered_map<int, Value> values;
  const auto is_buffer = [](const Place& place) { return place.kind == Place::Kind::buffer; };
  for (std::size_t n = 0; n < instructions.size(); ++n) {
    for (const Place& operand : instructions[n].operands) {
      if (is_buffer(operand)) values[operand.number].last_use = n;
    }
  }
  std::vector<int> free;
  int count = 0;
  for (std::size_t n = 0; n < instructions.size(); ++n) {
    Instruction& it = instructions[n];
    std::vector<int> freed_before, freed_after, seen;
    for (Place& operand : it.operands) {
      if (!is_buffer(operand)) continue;
      const Value& value = values[operand.number];
      const bool is_seen = std::find(seen.begin(), seen.end(), value.buffer) != seen.end();
      operand.number = value.buffer;
      if (value.last_use != n || is_seen) continue;
      seen.push_back(value.buffer);
      const bool has_size = bytes_of(value.lane) == bytes_of(it.lane);
      (has_size ? freed_before : freed_after).push_back(value.buffer);
    }
    free.insert(free.end(), freed_before.begin(), freed_before.end());
    if (is_buffer(it.to)) {
      Value& made = values[it.to.number];
      made.lane = it.lane;
      made.last_use = std::max(made.last_use, n);
      if (free.empty()) free.push_back(count++);
      made.buffer = free.back();
      free.pop_back();
      it.to.number = made.buffer;
      if (made.last_use == n) freed_after.push_back(made.buffer);
    }
    free.insert(free.end(), freed_after.begin(), freed_after.end());
  }
  return count;
}

}  // namespace goban::cpu
