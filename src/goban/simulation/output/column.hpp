#pragma once
// One number of a time series.

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "goban/program/parameter.hpp"
#include "goban/simulation/any_field.hpp"

namespace goban {

/// A heading and how to get the number: `Column("energy", "J", [&] { return ...; })`, a parameter,
/// or one of the functions below.
struct Column {
  std::string name;
  std::string unit;  ///< empty: a pure number
  std::function<double()> value;
  std::vector<AnyField> fields = {};  ///< the number is taken from
  /// The parameter that the number is, if it is one.
  std::shared_ptr<const ParameterRecord> parameter = nullptr;
  bool reads_anything = true;  ///< it may be taken from other fields, too
  /// If it is conserved: Error (corrupted) where it has changed by more than this part of what it
  /// was when the run began or went on. Infinite: it may change.
  double conserved_within = std::numeric_limits<double>::infinity();

  Column(std::string heading, std::string unit_of_it, std::function<double()> function)
      : name(std::move(heading)), unit(std::move(unit_of_it)), value(std::move(function)) {}
  template <class T>
  Column(const Parameter<T>& shown, std::string unit_of_it = {})  // NOLINT: implicit
      : name(shown.name()),
        unit(std::move(unit_of_it)),
        value([record = shown.record()] { return record->value; }),
        parameter(shown.record()),
        reads_anything(false) {}
};

/// A column with the sum over all values of a component; heading "sum of u", for fields of several
/// components "sum of u[2]".
Column sum_of(const AnyField& field, int component = 0);
Column mean_of(const AnyField& field, int component = 0);
Column minimum_of(const AnyField& field, int component = 0);
Column maximum_of(const AnyField& field, int component = 0);
/// The value at the cell that holds `position`; for face fields the nearest face.
/// Error (usage): outside of the grid.
Column value_at(const AnyField& field, Position position, int component = 0);
/// The value at `position`, linear between the nearest ones (see interpolation.hpp).
/// Error (usage): outside of the grid.
Column interpolated_at(const AnyField& field, Position position, int component = 0);

}  // namespace goban
