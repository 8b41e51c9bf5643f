#include "goban/backend/cuda/generator/thread_memory.hpp"

#include <fmt/format.h>

namespace goban::cuda {

const char* cell_function(const KernelSubject& subject) {
  return subject.has_short_offsets ? "near_cell_of" : "cell_of";
}

namespace {

/// Returns how threads access memory.
MemoryAccess memory_of_threads(const KernelSubject& subject) {
  const auto type_of = [&subject](int p) {
    return subject.footprint->parameters[static_cast<std::size_t>(p)].type;
  };
  const auto is_updated = [&subject](int p) {
    return subject.footprint->parameters[static_cast<std::size_t>(p)].access != Access::in;
  };
  MemoryAccess memory;
  memory.field = [&subject, type_of, is_updated](int p) {
    return fmt::format(
        "const {0}* s{1} = {3}<{0}>(a.field[{1}], a.field[{1}].{2}, at);\n"
        "  [[maybe_unused]] const {4} middle{1} = a.field[{1}].middle, slow{1} = "
        "static_cast<{4}>(a.field[{1}].slow);",
        stored_name(type_of(p)), p, is_updated(p) ? "write" : "read", cell_function(subject),
        subject.has_short_offsets ? "int" : "Index");
  };
  memory.load = [&subject, is_updated](const PackLoad& load) {
    const int p = load.parameter;
    std::string at = fmt::format("s{}", p), away;
    if (subject.is_in_place[static_cast<std::size_t>(p)]) {
      at += fmt::format(" + a.place[{}][{}]", p, load.component);
    } else if (load.component != 0) {
      away +=
          subject.has_short_offsets
              ? fmt::format(" + {} * static_cast<int>(a.field[{}].component)", load.component, p)
              : fmt::format(" + {} * a.field[{}].component", load.component, p);
    }
    if (load.row != 0) away += fmt::format(" + {} * middle{}", load.row, p);
    if (load.plane != 0) away += fmt::format(" + {} * slow{}", load.plane, p);
    const bool is_one = subject.has_short_offsets && !away.empty();  // number, then pointer
    at += is_one ? " + (" + away.substr(3) + ")" : away;
    if (load.cell != 0) at += fmt::format(" + {}", load.cell);
    const auto n = static_cast<std::size_t>(p);
    const bool may_change = is_updated(p) || subject.is_in_place[n] ||
                            (!subject.are_changing.empty() && subject.are_changing[n]);
    return fmt::format("{}<{}>({})", may_change ? "load" : "load_constant", subject.shape.width,
                       at);
  };
  memory.neighbors = [](int table, int offset, int offsets) {
    return fmt::format("neighbor<{}, {}>(table{}, at.fast)", offset, offsets, table);
  };
  memory.table = [](int table, int offsets) {
    return fmt::format(
        "const int32* const table{1} = with_entries_at_hand<{0}>(reinterpret_cast<const int32*>("
        "a.field[{1}].read), at.fast);",
        offsets, table);
  };
  memory.gather = [type_of](int p, int component, int at_wall, const std::string& neighbors) {
    return fmt::format(
        "gather(reinterpret_cast<const {0}*>(a.field[{1}].read), {2} * a.field[{1}].component, "
        "{3} * a.field[{1}].component, at.fast, {4})",
        stored_name(type_of(p)), p, component, at_wall, neighbors);
  };
  memory.loads_as_they_lie = [](int, int) { return false; };
  memory.asks_ahead = subject.shape.has_many_values();
  memory.adds_bytes = subject.shape.width % 4 == 0 && subject.covers_everything;
  return memory;
}

}  // namespace

std::string body_text(const KernelSubject& subject, const KernelCells& cells) {
  return goban::body_text(subject, cells, memory_of_threads(subject)).whole();
}

}  // namespace goban::cuda
