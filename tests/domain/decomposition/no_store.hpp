#pragma once
// Grids whose fields have no data: what is decided before there are any.

#include <memory>
#include <utility>

#include "goban/field/record.hpp"
#include "goban/grid/grid.hpp"
#include "tests/machines.hpp"

namespace goban::test {

class NoStore : public GridContext {
 public:
  explicit NoStore(Settings settings)
      : settings_(std::move(settings)),
        machine_(shipped_machine(settings_.backend == Backend::cuda ? "h200" : "xeon-core")) {}
  const Settings& settings() const override { return settings_; }
  std::unique_ptr<FieldStore> make_store(GridState&) override { return nullptr; }
  const MachineRates& machine() const override { return machine_; }
  void set_machine(const MachineRates& machine) { machine_ = machine; }

 private:
  Settings settings_;
  MachineRates machine_;
};

}  // namespace goban::test
