#pragma once
// The values of a field and of the ghost cells around it, from the formulas of its boundary
// conditions (boundary/boundary.hpp).

#include <memory>
#include <string>
#include <vector>

#include "goban/field/record.hpp"

namespace goban::reference {

/// What a field of this type holds of a number; and what it computes with: half in float.
double rounded(ElementType type, double value);
double rounded_number(ElementType type, double value);

/// Values are held as double, which holds those of every element type, and rounded to that type
/// when they are set. Grids of active cells have all of their box here, and no ghosts. Ghost cells
/// are stamped with the change of the field that they were made for; a read that finds an older
/// stamp is refused.
class PaddedField {
 public:
  /// Makes a field with so many layers of ghost cells.
  PaddedField(std::shared_ptr<GridState> grid, std::shared_ptr<FieldRecord> record,
              const Extents& layers);

  const FieldRecord& record() const { return *record_; }
  const Box& domain() const { return domain_; }

  void set(int component, const Index3& cell, double value);
  /// The value as the field would hold it.
  double as_stored(double value) const;
  /// Makes wall faces and ghosts for what the field holds, axis after axis.
  void make_ghosts(double time);
  /// Whether ghosts are as old as the values, and no condition looks at the clock.
  bool has_ghosts() const { return ghosts_of_ == change_ && !record_->has_timed_ghosts(); }
  /// Error (ExitCode::usage) that names `stage` if the cell is a ghost that was made for earlier
  /// values, or not at all.
  double read(const std::string& stage, int component, const Index3& cell) const;

  /// Takes values from the store, which shows owned values alone, or puts them there.
  void take();
  void put() const;
  /// Elements of a box, x fastest, component slowest.
  std::vector<std::byte> elements(const Box& box) const;
  /// Exchanges everything but the names.
  void swap_values(PaddedField& other);

 private:
  std::size_t at(int component, const Index3& cell) const;
  int axis_of_ghost(int component, const Index3& cell) const;
  double ghost(int component, const Index3& cell, int axis, double time) const;

  std::shared_ptr<GridState> grid_;
  std::shared_ptr<FieldRecord> record_;
  Box domain_, box_;
  std::vector<double> values_;
  std::vector<Index> stamps_;  ///< per value: the change that a ghost belongs to
  Index change_ = 0, ghosts_of_ = -1;
};

}  // namespace goban::reference
