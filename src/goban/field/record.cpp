#include "goban/field/record.hpp"

#include <utility>

#include "goban/base/error.hpp"

namespace goban {

FieldStore::~FieldStore() = default;
GridState::GridState() : root(this) {}
GridState::~GridState() = default;

FieldStore& GridState::storage() {
  if (!root->store) root->store = context->make_store(*root);
  return *root->store;
}

GridState& GridState::add_coarser(Index3 ratio_, CoarseningOptions options, int image_of_) {
  auto& added = *root->coarser.emplace_back(std::make_unique<GridState>());
  added.context = context;
  added.number = static_cast<int>(root->coarser.size());
  added.root = root;
  added.finer = this;
  added.ratio = ratio_;
  added.coarsening = std::move(options);
  added.image_of = image_of_;
  if (image_of_ >= 0) member(image_of_).image = added.number;
  for (std::size_t a = 0; a < 3; ++a) {
    added.cells[a] = cells[a] / ratio_[a];
    added.spacing[a] = spacing[a] * static_cast<double>(ratio_[a]);
  }
  added.origin = origin;
  added.boundary = boundary;
  if (root->store) root->store->add_grids();
  return added;
}

std::shared_ptr<FieldRecord> declare_field(GridState& grid, FieldRecord record) {
  require(!record.name.empty(), "a field has no name",
          "names identify fields in output and reports");
  auto& fields = grid.root->fields;
  for (const auto& other : fields) {
    if (other.use_count() == 1 && other->name == record.name) other->name.clear();
    require(other->name != record.name, "field '" + record.name + "' is declared twice",
            "names identify fields in output and checkpoints", "choose another name");
  }
  require(!record.in_place || grid.number == 0,
          "field '" + record.name + "' cannot be stored in place",
          "its grid is coarsened from another", "store it without InPlace");
  if (grid.active) {
    require(!record.in_place, "field '" + record.name + "' cannot be stored in place",
            "its grid has active cells alone", "store it without InPlace");
    require(record.location == Location::cell, "field '" + record.name + "' is refused",
            "grids of active cells have values of cells alone", "choose Location::cell");
    require(record.order == ijk::order, "field '" + record.name + "' is refused",
            "active cells lie in a list that has one order in memory", "choose the layout ijk");
    if (record.faces.empty()) record.faces = record.boundary;  // else it is like another field
    record.boundary.assign(record.faces.size(), BoundarySet{constant(0)});
  }
  record.id = static_cast<int>(fields.size());
  record.grid = grid.number;
  fields.push_back(std::make_shared<FieldRecord>(std::move(record)));
  return fields.back();
}

}  // namespace goban
