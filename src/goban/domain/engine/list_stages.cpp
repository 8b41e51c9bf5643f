#include "goban/domain/engine/list_stages.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "goban/domain/engine/list_table.hpp"

namespace goban {
namespace {

using Stages = std::vector<std::shared_ptr<Stage>>;

std::string text_of(const ListOffsets& offsets) {
  std::string text;
  for (const auto& [x, y, z] : offsets) {
    text += " (" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
  }
  return text;
}

class Tables {
 public:
  explicit Tables(GridState& grid, Domain& domain) : grid_(grid), domain_(domain) {}

  /// Large tables are made first, because smaller requests may be served by them.
  void add(const Stages& sweeps) {
    std::vector<ListOffsets> all;
    for (const auto& sweep : sweeps) all.push_back(list_offsets(*sweep));
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.size() > b.size(); });
    for (const ListOffsets& offsets : all) reach_ = std::max(reach_, list_reach(offsets));
    if (reach_ > 0) most_ghosts(reach_);
    for (const ListOffsets& offsets : all) {
      const bool is_there = std::any_of(neighbors_.begin(), neighbors_.end(), [&](const auto& one) {
        return std::includes(one.offsets.begin(), one.offsets.end(), offsets.begin(),
                             offsets.end());
      });
      if (!offsets.empty() && !is_there) add_neighbors(offsets);
    }
  }

  std::shared_ptr<Stage> on(const Stage& sweep) {
    const ListOffsets offsets = list_offsets(sweep);
    ListTables tables;
    if (!offsets.empty()) {
      const auto found = std::find_if(neighbors_.begin(), neighbors_.end(), [&](const auto& one) {
        return std::includes(one.offsets.begin(), one.offsets.end(), offsets.begin(),
                             offsets.end());
      });
      tables = *found;
      tables.ghosts = most_ghosts(list_reach(offsets));
    }
    if (asks_for_place(sweep)) tables.places = places();
    if (sweep.region) tables.region = region(*sweep.region);
    return on_list(sweep, tables);
  }

 private:
  Index most_ghosts(int reach) { return domain_.list_ghosts(grid_, reach); }

  std::shared_ptr<FieldRecord> table(const std::string& name, ElementType type, int components) {
    auto& fields = grid_.root->fields;
    const auto known = std::find_if(fields.begin(), fields.end(), [&](const auto& field) {
      return field->is_table && field->name == name;
    });
    if (known != fields.end()) return *known;
    return declare_field(grid_,
                         {.name = name, .type = type, .components = components, .is_table = true});
  }
  std::shared_ptr<FieldRecord> table(const std::string& name, ElementType type, int components,
                                     const RowFunction& value) {
    const auto record = table(name, type, components);
    domain_.fill(*record, value, nullptr);
    return record;
  }

  /// A table is a field with as many components as the largest table of any patch needs.
  void add_neighbors(const ListOffsets& offsets) {
    std::map<int, std::vector<std::int32_t>> tables;
    std::array<std::int64_t, 1> components{1};
    for (const auto& patch : domain_.patches().of_grid(grid_.number)) {
      const auto& made = tables[patch.patch] =
          list_table(grid_, *domain_.patches().lists(grid_.number), patch, offsets,
                     domain_.executor(patch.patch));
      const Index cells = patch.owned.extent(0);
      components[0] = std::max(components[0], (std::ssize(made) + cells - 1) / cells);
    }
    domain_.communicator().maximum(components);
    ListTables all;
    all.offsets = offsets;
    all.neighbors = table(std::to_string(components[0]) + " of neighbours" + text_of(offsets),
                          ElementType::int32, static_cast<int>(components[0]));
    domain_.fill_memory(*all.neighbors,
                        [&](int patch) { return std::as_bytes(std::span(tables.at(patch))); });
    neighbors_.push_back(std::move(all));
  }

  std::shared_ptr<FieldRecord> places() {
    return table("places", ElementType::int32, 3, [](const CellRow& row, void* const* components) {
      for (std::size_t a = 0; a < 3; ++a) {
        auto* const to = static_cast<std::int32_t*>(components[a]);
        for (Index i = 0; i < row.count; ++i) to[i] = static_cast<std::int32_t>(row.index(i)[a]);
      }
    });
  }

  std::shared_ptr<FieldRecord> region(const Box& box) {
    return table("region " + to_string(box), ElementType::uint8, 1,
                 [box](const CellRow& row, void* const* components) {
                   auto* const to = static_cast<std::uint8_t*>(components[0]);
                   for (Index i = 0; i < row.count; ++i) to[i] = box.contains(row.index(i)) ? 1 : 0;
                 });
  }

  GridState& grid_;
  Domain& domain_;
  std::vector<ListTables> neighbors_;
  int reach_ = 0;
};

}  // namespace

Stages on_lists(const Stages& stages, Domain& domain) {
  Stages sweeps;
  std::shared_ptr<GridState> grid;
  for (const auto& stage : stages) {
    const auto its = grid_of(*stage);
    if (!stage->is_sweep() || !its || !its->active) continue;
    sweeps.push_back(stage);
    grid = its;
  }
  if (sweeps.empty()) return stages;
  Tables tables(*grid, domain);
  tables.add(sweeps);
  Stages all;
  for (const auto& stage : stages) {
    all.push_back(stage->is_sweep() ? tables.on(*stage) : stage);
  }
  return all;
}

}  // namespace goban
