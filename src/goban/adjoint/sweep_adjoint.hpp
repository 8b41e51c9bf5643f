#pragma once
// The adjoint of one sweep, as sweeps.

#include <memory>
#include <set>
#include <vector>

#include "goban/adjoint/sweep_derivatives.hpp"

namespace goban::detail {

/// Writes the adjoint of sweeps, the last one first. Where a sweep computes v = F(u), its adjoint
/// adds to that of u at cell y the sum, over the offsets o at which F reads u, of
/// (dF/du_o)(y - o) times the adjoint of v at y - o: reads are mirrored, nobody writes what another
/// cell writes, and the bits are the same on any cut. Then the adjoint of v is 0.
///
/// Derivatives that are the same for all cells are factors of these reads, so that the adjoint of a
/// Laplacian is one, sweep for sweep. Products with others are computed anew where they are read if
/// that costs little (see may_be_moved), else where F is, and stored as components of a field of
/// their own.
class SweepAdjoint {
 public:
  /// `zero`: adjoint fields that are to be taken for 0, whatever their memory holds.
  SweepAdjoint(AdjointFields& fields, const AdjointNumbers& numbers,
               std::set<const FieldRecord*> zero)
      : fields_(fields), numbers_(numbers), zero_(std::move(zero)) {}

  /// Returns the stages. `active`: fields that derivatives are wanted of before the sweep.
  std::vector<std::shared_ptr<Stage>> reverse(const StepSweep& sweep, const FieldSet& active);
  /// The same of a sum over the cells, whose adjoint is a number; null: 1.
  std::vector<std::shared_ptr<Stage>> reverse_of_sum(
      const StepSweep& sweep, const FieldSet& active,
      const std::shared_ptr<ParameterRecord>& adjoint);
  /// The same of a sum over the cells of the functor times a component of a field, which is 0
  /// beyond the ends and stays as it is.
  std::vector<std::shared_ptr<Stage>> reverse_of_weighted(const StepSweep& sweep,
                                                          const FieldSet& active,
                                                          const StageArgument& weight,
                                                          int component);
  /// From now on this adjoint field is to be taken for 0.
  void set_zero(const FieldRecord* field) { zero_.insert(field); }
  /// Stages that write 0 to the adjoint of a field where this holds what its conditions say.
  std::vector<std::shared_ptr<Stage>> clear_held_faces(const FieldPointer& field);
  /// Stages that write 0 to such a field.
  std::vector<std::shared_ptr<Stage>> clear(const StageArgument& field);

  bool is_zero(const FieldRecord* field) const { return zero_.count(field) > 0; }

 private:
  AdjointFields& fields_;
  const AdjointNumbers& numbers_;
  std::set<const FieldRecord*> zero_;
};

}  // namespace goban::detail
