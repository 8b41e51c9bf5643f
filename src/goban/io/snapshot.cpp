#include "goban/io/snapshot.hpp"

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

bool lies_inside(const Block& block, Index3 extents) {
  for (int a = 0; a < 3; ++a)
    if (block.low[a] < 0 || block.values.extents[a] <= 0 ||
        block.low[a] + block.values.extents[a] > extents[a])
      return false;
  return true;
}

}  // namespace

SnapshotField::SnapshotField(const ArrayView& values, std::string unit_)
    : name(values.name),
      unit(std::move(unit_)),
      type(values.type),
      components(values.components),
      blocks{{.low = {0, 0, 0}, .values = values}} {}

void check_snapshot(const Snapshot& snapshot) {
  std::set<std::string> names;
  for (const SnapshotField& field : snapshot.fields) {
    byte_count(field.type, snapshot.extents, field.components);
    require(is_usable_name(field.name),
            fmt::format("field name '{}' cannot be written", field.name),
            "names in files are not empty and have no '/', '.', quotes or control characters",
            "rename the field");
    require(names.insert(field.name).second,
            fmt::format("two fields of one snapshot are named '{}'", field.name), {},
            "rename one of them");
    Index covered = 0;
    for (const Block& block : field.blocks) {
      require(lies_inside(block, snapshot.extents) && block.values.type == field.type &&
                  block.values.components == field.components,
              fmt::format("a block of field '{}' does not fit its grid of {} cells", field.name,
                          text_of(snapshot.extents)));
      covered += block.values.cells();
    }
    require(covered == product(snapshot.extents),
            fmt::format("the blocks of field '{}' have {} cells, the grid {}", field.name, covered,
                        product(snapshot.extents)));
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

void gather_planes(const SnapshotField& field, Index3 extents, Index first, Index planes,
                   std::byte* out) {
  const ElementType type = stored_type(field.type);
  const Index components = field.components;
  const Index3 strides = {components, extents[0] * components,
                          extents[0] * extents[1] * components};
  for (const Block& block : field.blocks) {
    const Index low = std::max(first, block.low[2]);
    const Index high = std::min(first + planes, block.low[2] + block.values.extents[2]);
    if (low >= high) continue;
    const Index offset =
        block.low[0] * strides[0] + block.low[1] * strides[1] + (low - first) * strides[2];
    copy_elements(box_of(block.values, {0, 0, low - block.low[2]},
                         {block.values.extents[0], block.values.extents[1], high - low}),
                  {.type = type,
                   .data = out + offset * static_cast<Index>(size_of(type)),
                   .strides = strides,
                   .component_stride = 1});
  }
}

}  // namespace goban
