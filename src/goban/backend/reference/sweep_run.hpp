#pragma once
// One sweep over a whole grid, cell after cell or column after column.

#include "goban/backend/kernel_call.hpp"
#include "goban/backend/reference/padded_field.hpp"
#include "goban/program/step_clock.hpp"
#include "goban/stencil/graph/graph_evaluator.hpp"

namespace goban::reference {

class SweepRun {
 public:
  /// `fields`: per argument, null for those that are none; their ghosts must be as old as their
  /// values. `mask`: null if there is none.
  SweepRun(const Stage& stage, std::vector<PaddedField*> fields, PaddedField* mask,
           const StepClock& clock);

  /// Evaluates the functor everywhere; fields change after the last of its reads.
  void run();

 private:
  void each_cell_alone(Reducer& reducer);
  void column_after_column();
  /// Whether the value of an argument is stored at the cell.
  bool is_stored(int parameter, const Index3& cell) const;
  double read(int parameter, int component, const Index3& offset) const;
  double read_beside(int parameter, int component, const Index3& offset) const;

  struct Result {
    PaddedField* field;
    int component;
    Index3 cell;
    double value;
  };
  const Stage& stage_;
  std::vector<PaddedField*> fields_;
  PaddedField* mask_;
  Box box_;
  std::shared_ptr<GridState> grid_;
  CellView view_;
  std::vector<Result> results_;
};

}  // namespace goban::reference
