#include "goban/io/case/time_expression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "goban/io/case/time_value.hpp"

namespace goban {
namespace {

class Number : public TimeExpression {
 public:
  explicit Number(double number) : number_(number) {}
  double at(double) const override { return number_; }
  bool varies() const override { return false; }

 private:
  double number_;
};

class Time : public TimeExpression {
 public:
  double at(double time) const override { return time; }
  bool varies() const override { return true; }
};

struct Function {
  std::string_view name;
  double (*of_one)(double);
  double (*of_two)(double, double);
  bool jumps = false;  ///< at 0
};

// Times are n dt, and what is computed of them is rounded, too: a jump that is meant to be at the
// beginning of a step must not come one later.
constexpr double round_off = 8 * std::numeric_limits<double>::epsilon();

double just_after(double time) { return time + round_off * std::abs(time); }

double whole_part(double x) {
  const double next = std::ceil(x);
  return next - x <= round_off * std::abs(next) ? next : std::floor(x);
}

constexpr Function functions[] = {
    {"sin", [](double x) { return std::sin(x); }, nullptr},
    {"cos", [](double x) { return std::cos(x); }, nullptr},
    {"tan", [](double x) { return std::tan(x); }, nullptr},
    {"tanh", [](double x) { return std::tanh(x); }, nullptr},
    {"exp", [](double x) { return std::exp(x); }, nullptr},
    {"log", [](double x) { return std::log(x); }, nullptr},
    {"sqrt", [](double x) { return std::sqrt(x); }, nullptr},
    {"abs", [](double x) { return std::abs(x); }, nullptr},
    {"floor", [](double x) { return whole_part(x); }, nullptr},
    {"step", [](double x) { return x < 0 ? 0.0 : 1.0; }, nullptr, true},
    {"ramp", [](double x) { return x < 0   ? 0.0
                                   : x < 1 ? x
                                           : 1.0; }, nullptr},
    {"min", nullptr, [](double x, double y) { return y < x ? y : x; }},
    {"max", nullptr, [](double x, double y) { return y > x ? y : x; }},
    {"mod", nullptr, [](double x, double y) { return x - y * whole_part(x / y); }},
    {"+", [](double x) { return x; }, [](double x, double y) { return x + y; }},
    {"-", [](double x) { return -x; }, [](double x, double y) { return x - y; }},
    {"*", nullptr, [](double x, double y) { return x * y; }},
    {"/", nullptr, [](double x, double y) { return x / y; }},
    {"^", nullptr, [](double x, double y) { return std::pow(x, y); }},
};

class Call : public TimeExpression {
 public:
  Call(const Function& function, std::vector<TimeExpressionPtr> arguments)
      : function_(function), arguments_(std::move(arguments)) {}
  double at(double time) const override {
    if (function_.jumps) time = just_after(time);
    const double x = arguments_[0]->at(time);
    return arguments_.size() == 1 ? function_.of_one(x)
                                  : function_.of_two(x, arguments_[1]->at(time));
  }
  bool varies() const override {
    return std::any_of(arguments_.begin(), arguments_.end(),
                       [](const auto& argument) { return argument->varies(); });
  }

 private:
  const Function& function_;
  std::vector<TimeExpressionPtr> arguments_;
};

class Chain : public TimeExpression {
 public:
  struct Link {
    double (*joined)(double, double);
    TimeExpressionPtr operand;
  };

  Chain(TimeExpressionPtr first, std::vector<Link> links)
      : first_(std::move(first)), links_(std::move(links)) {}
  double at(double time) const override {
    double value = first_->at(time);
    for (const Link& link : links_) value = link.joined(value, link.operand->at(time));
    return value;
  }
  bool varies() const override {
    return first_->varies() || std::any_of(links_.begin(), links_.end(),
                                           [](const Link& link) { return link.operand->varies(); });
  }

 private:
  TimeExpressionPtr first_;
  std::vector<Link> links_;
};

class Interpolation : public TimeExpression {
 public:
  Interpolation(TimeExpressionPtr argument, std::vector<double> points, std::vector<double> values)
      : argument_(std::move(argument)), points_(std::move(points)), values_(std::move(values)) {}
  double at(double time) const override {
    const double x = argument_->at(time);
    const auto after = std::upper_bound(points_.begin(), points_.end(), x);
    if (after == points_.begin()) return values_.front();
    if (after == points_.end()) return values_.back();
    const auto n = static_cast<std::size_t>(after - points_.begin());
    const double part = (x - points_[n - 1]) / (points_[n] - points_[n - 1]);
    return values_[n - 1] + part * (values_[n] - values_[n - 1]);
  }
  bool varies() const override { return argument_->varies(); }

 private:
  TimeExpressionPtr argument_;
  std::vector<double> points_, values_;
};

}  // namespace

TimeExpressionPtr make_number(double number) { return std::make_shared<Number>(number); }
TimeExpressionPtr make_time() { return std::make_shared<Time>(); }

TimeExpressionPtr make_function(std::string_view name, std::vector<TimeExpressionPtr> arguments) {
  for (const Function& function : functions) {
    if (function.name != name) continue;
    const bool fits = (arguments.size() == 1 && function.of_one != nullptr) ||
                      (arguments.size() == 2 && function.of_two != nullptr);
    if (fits) return std::make_shared<Call>(function, std::move(arguments));
  }
  return nullptr;
}

TimeExpressionPtr make_chain(TimeExpressionPtr first, const std::vector<ChainLink>& links) {
  std::vector<Chain::Link> joined;
  for (const ChainLink& link : links) {
    const auto* function = std::find_if(std::begin(functions), std::end(functions),
                                        [&](const auto& f) { return f.name == link.sign; });
    joined.push_back({function->of_two, link.operand});
  }
  return std::make_shared<Chain>(std::move(first), std::move(joined));
}

TimeExpressionPtr make_table(TimeExpressionPtr argument, std::vector<double> points,
                             std::vector<double> values) {
  return std::make_shared<Interpolation>(std::move(argument), std::move(points), std::move(values));
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& function : functions) {
    if (function.name.size() > 1) names.emplace_back(function.name);
  }
  return names;
}

}  // namespace goban
