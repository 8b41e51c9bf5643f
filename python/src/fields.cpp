// Fields and parameters.

#include <cstring>
#include <vector>

#include "calls.hpp"
#include "goban/domain/data/domain.hpp"

namespace {

using namespace goban;
using namespace goban::python;

template <class Enum, std::size_t N>
Enum named(const std::array<const char*, N>& names, const std::string& name) {
  for (std::size_t n = 0; n < N; ++n) {
    if (name == names[n]) return static_cast<Enum>(n);
  }
  throw Error(ExitCode{1}, "internal error: no such name", name);
}

constexpr std::array<const char*, 5> types = {"uint8", "int32", "float16", "float32", "float64"};
constexpr std::array<const char*, 8> locations = {"cell",   "face_x", "face_y", "face_z",
                                                  "edge_x", "edge_y", "edge_z", "node"};

void check_component(const FieldRecord& record, std::int64_t component) {
  require(
      component >= 0 && component < record.components,
      "component " + std::to_string(component) + " is refused",
      "field '" + record.name + "' has " + std::to_string(record.components) + ", counted from 0");
}

/// The values of a box as the script has made them: x fastest, component slowest.
struct FilledBox {
  Box box;
  std::vector<std::byte> elements;
};

/// Rows of a field are parts of such a box.
void copy_row(const FilledBox& from, const CellRow& row, void* const* components,
              const FieldRecord& field) {
  const Index3 at = row.first - from.box.lower, extents = from.box.extents();
  const Index3 strides = {1, extents[0], extents[0] * extents[1]};
  const auto size = static_cast<Index>(field.element_size());
  const Index step = strides[static_cast<std::size_t>(row.axis)];
  for (int c = 0; c < field.components; ++c) {
    const Index first = at[0] + strides[1] * at[1] + strides[2] * at[2] + c * product(extents);
    const std::byte* source = from.elements.data() + first * size;
    auto* target = static_cast<std::byte*>(components[c]);
    for (Index i = 0; i < row.count; ++i) {
      std::memcpy(target + i * size, source + i * step * size, static_cast<std::size_t>(size));
    }
  }
}

}  // namespace

/// {"name", "type", "components", "layout", "location", "in_place", "is_intermediate"}; `sides`:
/// six conditions, null: those of the grid. An intermediate is not declared: it has no memory.
GOBAN_PYTHON_CALL int goban_python_field(const Grid* grid, const char* options,
                                         const BoundaryCondition* const* sides,
                                         FieldHandle** made) {
  return guarded([&] {
    const Json json = Json::parse(options);
    const auto& state = grid->state();
    BoundarySet set = state->boundary;
    for (std::size_t n = 0; sides && n < 6; ++n) set.sides[n / 2][n % 2] = *sides[n];
    const int components = json.at("components");
    FieldRecord record{
        .name = json.at("name"),
        .type = named<ElementType>(types, json.at("type")),
        .components = components,
        .order = json.at("layout") == "kij" ? kij::order : ijk::order,
        .location = named<Location>(locations, json.at("location")),
        .boundary = std::vector<BoundarySet>(static_cast<std::size_t>(components), set),
        .in_place = json.at("in_place")};
    const bool is_intermediate = json.at("is_intermediate");
    *made = new FieldHandle{state, is_intermediate ? std::make_shared<FieldRecord>(record)
                                                   : declare_field(*state, std::move(record))};
  });
}
/// Another field like this one; if it is in place: what it becomes in a step.
GOBAN_PYTHON_CALL int goban_python_field_like(const FieldHandle* of, const char* name,
                                              FieldHandle** made) {
  return guarded([&] {
    FieldRecord record = *of->record;
    record.name = name;
    record.is_output = false;
    if (record.in_place) record.in_place_of = of->record->id;
    *made = new FieldHandle{of->grid, declare_field(*of->grid, std::move(record))};
  });
}
GOBAN_PYTHON_CALL void goban_python_field_delete(FieldHandle* field) { delete field; }

/// `component`: -1: all of them.
GOBAN_PYTHON_CALL int goban_python_field_boundary(const FieldHandle* field, std::int64_t axis,
                                                  std::int64_t side, std::int64_t component,
                                                  const BoundaryCondition* condition) {
  return guarded([&] {
    FieldRecord& record = *field->record;
    if (component >= 0) check_component(record, component);
    for (int c = 0; c < record.components; ++c) {
      if (component >= 0 && component != c) continue;
      auto& sides = field->grid->active ? record.faces : record.boundary;
      sides[static_cast<std::size_t>(c)].at(static_cast<Axis>(axis), static_cast<Side>(side)) =
          *condition;
    }
    ++record.boundary_changes;
  });
}
GOBAN_PYTHON_CALL int goban_python_field_inactive(const FieldHandle* field,
                                                  const BoundaryCondition* condition) {
  return guarded([&] {
    require(field->grid->active != nullptr,
            "field '" + field->record->name + "' has no inactive cells",
            "all cells of its grid are active", "set a boundary");
    field->record->inactive = *condition;
    ++field->record->boundary_changes;
  });
}

/// The indices it has, lower and upper ends.
GOBAN_PYTHON_CALL int goban_python_field_domain(const FieldHandle* field, std::int64_t* ends) {
  return guarded([&] {
    const Box box = field->grid->box(field->record->location);
    for (std::size_t a = 0; a < 3; ++a) {
      ends[a] = box.lower[a];
      ends[3 + a] = box.upper[a];
    }
  });
}
/// The boxes of this rank, six numbers each: how many there are, and as many as there is room for.
GOBAN_PYTHON_CALL int goban_python_field_own(const FieldHandle* field, std::int64_t* ends,
                                             std::int64_t room, std::int64_t* count) {
  return guarded([&] {
    const auto* domain = dynamic_cast<const Domain*>(&field->store());
    *count = 0;
    if (!domain) return;  // on paper
    require(!field->grid->active, "the parts of field '" + field->record->name + "' are refused",
            "a process has active cells here and there", "take numpy()");
    for (const auto& patch : domain->patches().of_grid(field->record->grid)) {
      const Box local = patch.owned_local(field->record->location);
      const Index3 lower = local.lower + patch.owned.lower;
      const Index3 upper = local.upper + patch.owned.lower;
      for (std::size_t a = 0; *count < room && a < 3; ++a) {
        ends[6 * *count + static_cast<Index>(a)] = lower[a];
        ends[6 * *count + 3 + static_cast<Index>(a)] = upper[a];
      }
      ++*count;
    }
  });
}

GOBAN_PYTHON_CALL int goban_python_field_fill(const FieldHandle* field, double value) {
  return guarded([&] { field->store().fill(*field->record, value); });
}
/// The function makes the values of one box after another, of this rank's cells.
GOBAN_PYTHON_CALL int goban_python_field_fill_boxes(
    const FieldHandle* field, std::int64_t (*function)(const std::int64_t* ends, void* elements)) {
  return guarded([&] {
    const FieldRecord& record = *field->record;
    FilledBox filled;
    const auto prepare = [&](const Box& box) {
      filled.box = box;
      filled.elements.resize(static_cast<std::size_t>(box.volume() * record.components) *
                             record.element_size());
      const std::array<std::int64_t, 6> ends = {box.lower[0], box.lower[1], box.lower[2],
                                                box.upper[0], box.upper[1], box.upper[2]};
      require_success(function(ends.data(), filled.elements.data()));
    };
    const auto row = [&](const CellRow& cells, void* const* components) {
      copy_row(filled, cells, components, record);
    };
    field->store().fill(record, row, prepare);
  });
}
GOBAN_PYTHON_CALL int goban_python_field_copy_out(const FieldHandle* field,
                                                  const std::int64_t* ends, void* elements) {
  return guarded([&] { copy_out(*field->grid, *field->record, box_of(ends), elements); });
}
GOBAN_PYTHON_CALL int goban_python_field_copy_out_own(const FieldHandle* field,
                                                      const std::int64_t* ends, void* elements) {
  return guarded([&] { copy_out_own(*field->grid, *field->record, box_of(ends), elements); });
}
GOBAN_PYTHON_CALL int goban_python_field_copy_in(const FieldHandle* field, const std::int64_t* ends,
                                                 const void* elements) {
  return guarded([&] { copy_in(*field->grid, *field->record, box_of(ends), elements); });
}
/// `what`: 0 sum, 1 minimum, 2 maximum.
GOBAN_PYTHON_CALL int goban_python_field_reduce(const FieldHandle* field, std::int64_t what,
                                                std::int64_t component, double* value) {
  return guarded([&] {
    check_component(*field->record, component);
    const int c = static_cast<int>(component);
    FieldStore& store = field->store();
    *value = what == 0   ? store.sum(*field->record, c)
             : what == 1 ? store.minimum(*field->record, c)
                         : store.maximum(*field->record, c);
  });
}
GOBAN_PYTHON_CALL int goban_python_field_checksum(const FieldHandle* field, std::uint64_t* value) {
  return guarded([&] { *value = field->store().checksum(*field->record); });
}

GOBAN_PYTHON_CALL int goban_python_parameter(const char* name, double value,
                                             ParameterHandle** made) {
  return guarded([&] {
    *made = new ParameterHandle{std::make_shared<ParameterRecord>(ParameterRecord{name, value})};
  });
}
GOBAN_PYTHON_CALL void goban_python_parameter_delete(ParameterHandle* parameter) {
  delete parameter;
}
GOBAN_PYTHON_CALL int goban_python_parameter_value(const ParameterHandle* parameter,
                                                   double* value) {
  return guarded([&] { *value = parameter->record->value; });
}
GOBAN_PYTHON_CALL int goban_python_parameter_set(const ParameterHandle* parameter, double value) {
  return guarded([&] { parameter->record->value = value; });
}
