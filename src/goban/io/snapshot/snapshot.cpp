#include "goban/io/snapshot/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "goban/base/error.hpp"

namespace goban {
namespace {

bool is_usable_name(const std::string& name) {
  return !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
    return c == '/' || c == '.' || c == '"' || static_cast<unsigned char>(c) < ' ' || c == 127;
  });
}

}  // namespace

SnapshotField::SnapshotField(std::string name_, std::string unit_, ElementType type_,
                             int components_, BoxSource values_)
    : name(std::move(name_)),
      unit(std::move(unit_)),
      type(type_),
      components(components_),
      values(std::move(values_)) {}

SnapshotField::SnapshotField(const ArrayView& view, std::string unit_)
    : SnapshotField(view.name, std::move(unit_), view.type, view.components,
                    [view](const Box& box, void* elements) {
                      const Index3 n = box.extents();
                      copy_elements(box_of(view, box.lower, n), {.type = view.type,
                                                                 .data = elements,
                                                                 .strides = {1, n[0], n[0] * n[1]},
                                                                 .component_stride = box.volume()});
                    }) {}

void SnapshotField::make_stored(const Box& box, void* out) const {
  if (box.empty() || (components == 1 && stored_type(type) == type)) return values(box, out);
  Array made(type, box.extents(), components);
  values(box, made.bytes.data());
  const Index3 n = box.extents();
  copy_elements(made.view(), {.type = stored_type(type),
                              .data = out,
                              .strides = {components, n[0] * components, n[0] * n[1] * components},
                              .component_stride = 1});
}

const char* name_of(Location location) {
  constexpr const char* names[] = {"cell",   "face_x", "face_y", "face_z",
                                   "edge_x", "edge_y", "edge_z", "node"};
  return names[static_cast<int>(location)];
}

Location location_named(const std::string& name) {
  for (int n = 0; n <= static_cast<int>(Location::node); ++n) {
    if (name == name_of(static_cast<Location>(n))) return static_cast<Location>(n);
  }
  return Location::cell;
}

void check_snapshot(const Snapshot& snapshot) {
  std::set<std::string> names;
  for (const SnapshotField& field : snapshot.fields) {
    byte_count(field.type, snapshot.extents, field.components);
    require(is_usable_name(field.name),
            fmt::format("field name '{}' cannot be written", field.name),
            "names in files are not empty and have no '/', '.', quotes or control characters",
            "rename the field");
    require(field.name != "VTKHDF" && field.name != "goban",
            fmt::format("field name '{}' cannot be written", field.name),
            "snapshots have a group of that name", "rename the field");
    require(names.insert(field.name).second,
            fmt::format("two fields of one snapshot are named '{}'", field.name), {},
            "rename one of them");
  }
}

void check_plane(const std::string& name, Index3 extents, Axis normal, Index index) {
  const Index last = extents[index_of(normal)] - 1;
  require(index >= 0 && index <= last,
          fmt::format("there is no plane {} of field '{}'", index, name),
          fmt::format("the planes along that axis are 0 to {}", last));
}

ElementType stored_type(ElementType type) {
  return type == ElementType::half ? ElementType::float32 : type;
}

}  // namespace goban
