#include "goban/field/record.hpp"

#include "goban/base/error.hpp"

namespace goban {

FieldStore::~FieldStore() = default;
GridState::GridState() = default;
GridState::~GridState() = default;

FieldStore& GridState::storage() {
  if (!store) store = context->make_store(*this);
  return *store;
}

std::shared_ptr<FieldRecord> declare_field(GridState& grid, FieldRecord record) {
  require(!record.name.empty(), "a field has no name",
          "names identify fields in output and reports");
  for (const auto& other : grid.fields) {
    require(other->name != record.name, "field '" + record.name + "' is declared twice",
            "names identify fields in output and checkpoints", "choose another name");
  }
  record.id = static_cast<int>(grid.fields.size());
  grid.fields.push_back(std::make_shared<FieldRecord>(std::move(record)));
  return grid.fields.back();
}

}  // namespace goban
