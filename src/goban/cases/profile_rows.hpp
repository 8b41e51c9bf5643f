#pragma once
// Profiles as rows of cells see them.

#include <span>
#include <vector>

#include "goban/cases/profile.hpp"
#include "goban/field/field.hpp"

namespace goban {

/// Finds the profiles that reach a row without looking at all of them, and the cells of a sphere or
/// a box without looking at each. For several threads.
class ProfileRows {
 public:
  /// Prepares profiles for rows along this axis.
  ProfileRows(const std::vector<Profile>& profiles, int axis);

  /// The sum of all profiles in every cell.
  void sum(const CellRow& row, double* values) const;
  /// Cells that lie in a body get its amplitude; the last one counts.
  void paint(const CellRow& row, double* values) const;
  /// What images need before values of a box are asked for; null without images.
  BoxFunction prepare();

 private:
  struct Cells {
    Index begin, end;
  };
  /// Where a profile may differ from 0; of spheres, cylinders and boxes where it does.
  static Cells reached(const Profile& profile, const CellRow& row);
  /// The profiles that may reach a row, in their order.
  std::span<const int> near(const CellRow& row) const;
  std::size_t bin(std::size_t side, double coordinate) const;

  std::vector<Profile> profiles_;
  std::vector<ImageWindow> images_;  ///< the window of each profile's image
  std::array<std::size_t, 2> across_{};
  std::array<double, 2> low_{}, width_{1, 1};  ///< lower end and width of the bins, m
  std::size_t bins_ = 1;                       ///< bins along each axis across
  std::vector<std::vector<int>> in_bin_;
};

/// Sets a field to the sum of all profiles times a factor.
template <class T, class Layout>
void fill_with_sum(Field<T, 1, Layout>& field, const std::vector<Profile>& profiles,
                   double factor = 1) {
  ProfileRows rows(profiles, Layout::order[0]);
  const auto value = [&rows, factor](const CellRow& row, double* values) {
    rows.sum(row, values);
    for (Index i = 0; i < row.count; ++i) values[i] *= factor;
  };
  field.fill(value, rows.prepare());
}

}  // namespace goban
