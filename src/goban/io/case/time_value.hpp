#pragma once
// Numbers of a case that may vary in time: "5 m/s", "1.5 m/s * sin(pi*t/8)",
// "20 K * table(t, 0 s, 0, 2 s, 1)", "file(t, wind.csv)".
//
//   sum     := product (("+" | "-") product)*
//   product := factor (("*" | "/") factor)*
//   factor  := ("+" | "-") factor | atom ("^" factor)?
//   atom    := number unit? | "t" | "pi" | "(" sum ")" | function "(" sum ("," sum)* ")"
//            | "table(" sum ("," time "," value)+ ")" | "file(" sum "," name ")"
//
// t is the simulated time in s. A unit follows its number and contains no blank outside of
// brackets; it is one of the value, of time or of a pure number. Functions are those of
// function_names().

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goban {

struct TimeExpression;

/// A number that is fixed or depends on the simulated time, in s.
class TimeValue {
 public:
  TimeValue(double fixed = 0) : factor_(fixed) {}  // NOLINT: a number is one
  TimeValue(std::shared_ptr<const TimeExpression> expression, std::string text)
      : factor_(1), expression_(std::move(expression)), text_(std::move(text)) {}

  bool varies() const { return expression_ != nullptr; }
  /// Error (ExitCode::diverged): it is no finite number then.
  double at(double time) const;
  double operator()(double time) const { return at(time); }
  TimeValue times(double factor) const;

  /// By text, where it varies.
  bool operator==(const TimeValue& other) const {
    return factor_ == other.factor_ && varies() == other.varies() && text_ == other.text_;
  }

 private:
  double factor_;
  std::shared_ptr<const TimeExpression> expression_;
  std::string text_;
};

/// Three of them, as a velocity.
using TimeValue3 = std::array<TimeValue, 3>;
bool varies(const TimeValue3& values);
std::array<double, 3> at(const TimeValue3& values, double time);
TimeValue3 times(const TimeValue3& values, double factor);

/// A value read in the wanted unit, or why it could not be read.
struct TimeQuantity {
  std::optional<TimeValue> value;
  std::string why;
};

/// Reads a number with a unit or an expression, see above. Files are relative to the current
/// folder.
TimeQuantity parse_time_value(std::string_view text, const std::string& unit);

/// The text with whole paths in its file(...), which are relative to `folder`.
std::string with_whole_paths(std::string_view text, const std::filesystem::path& folder);

/// Those that its file(...) name.
std::vector<std::filesystem::path> files_in(std::string_view text);

/// "sin", "cos", ...
std::vector<std::string> function_names();

}  // namespace goban
