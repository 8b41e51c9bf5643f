#pragma once
// Numbers a program reads and writes while it runs: time steps, ramps, reduction results.

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace goban {

struct ParameterRecord {
  std::string name;
  double value = 0;
};

/// `parameter < bound` or `parameter > bound`, evaluated while the program runs.
struct Condition {
  std::shared_ptr<const ParameterRecord> parameter;
  bool less = true;
  double bound = 0;

  bool holds() const { return less ? parameter->value < bound : parameter->value > bound; }
  /// Whether it never will: the number is NaN, what it was computed from has diverged.
  bool is_lost() const { return parameter->value != parameter->value; }
};

/// A shared handle: copies refer to the same number. T: float, double or int; kept exactly.
template <class T>
class Parameter {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int>,
                "goban: Parameter<T> holds float, double or int");

 public:
  explicit Parameter(const std::string& name, T value = T{})
      : record_(
            std::make_shared<ParameterRecord>(ParameterRecord{name, static_cast<double>(value)})) {}
  /// Another handle of the same number.
  explicit Parameter(std::shared_ptr<ParameterRecord> record) : record_(std::move(record)) {}

  T value() const { return static_cast<T>(record_->value); }
  void set(T value) { record_->value = static_cast<double>(value); }
  const std::string& name() const { return record_->name; }
  const std::shared_ptr<ParameterRecord>& record() const { return record_; }

  Condition operator<(double bound) const { return {record_, true, bound}; }
  Condition operator>(double bound) const { return {record_, false, bound}; }

 private:
  std::shared_ptr<ParameterRecord> record_;
};

}  // namespace goban
