#pragma once
// What a program does, from the meaning of its stages alone: the definition that everything faster
// is compared with.

#include <utility>
#include <vector>

#include "goban/backend/reference/padded_field.hpp"
#include "goban/program/program.hpp"
#include "goban/program/step_clock.hpp"

namespace goban::reference {

/// Runs a program on whole grids, cell after cell, on every rank: no decomposition, no schedule,
/// functors evaluated from their graphs.
class Reference {
 public:
  explicit Reference(const Program& program);

  /// Takes the values of all fields from their stores and puts back what these steps make of them.
  void run(Index steps, StepClock& clock);

 private:
  void add(const Program& program);
  void add(const std::shared_ptr<FieldRecord>& field, const std::shared_ptr<GridState>& grid);
  PaddedField& of(const std::shared_ptr<FieldRecord>& field);
  void take();
  void put();

  void steps(const Program& program, Index steps, StepClock& clock);
  void stage(const Stage& stage, StepClock& clock);
  void sweep(const Stage& stage, const StepClock& clock);
  void sample(const Stage& stage, const StepClock& clock);
  void until(const Stage& stage, StepClock clock);

  const Program& program_;
  Extents layers_;  ///< how many ghost cells every field has around it
  /// In the order of the program, so that all ranks take and put them in the same.
  std::vector<std::pair<const FieldRecord*, PaddedField>> fields_;
};

}  // namespace goban::reference
