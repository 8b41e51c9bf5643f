#include "goban/io/case/time_expression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "goban/io/case/time_value.hpp"

namespace goban {
namespace {

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

TimeExpressionPtr made(std::function<double(double)> at, bool varies) {
  return std::make_shared<TimeExpression>(TimeExpression{std::move(at), varies});
}

bool do_vary(const std::vector<TimeExpressionPtr>& expressions) {
  return std::any_of(expressions.begin(), expressions.end(),
                     [](const auto& expression) { return expression->varies; });
}

}  // namespace

TimeExpressionPtr make_number(double number) {
  return made([=](double) { return number; }, false);
}

TimeExpressionPtr make_time() {
  return made([](double time) { return time; }, true);
}

TimeExpressionPtr make_function(std::string_view name, std::vector<TimeExpressionPtr> arguments) {
  for (const Function& function : functions) {
    if (function.name != name) continue;
    const bool varies = do_vary(arguments);
    const auto when = [&function](double t) { return function.jumps ? just_after(t) : t; };
    if (arguments.size() == 1 && function.of_one != nullptr) {
      return made([=, x = arguments[0],
                   of = function.of_one](double time) { return of(x->at(when(time))); },
                  varies);
    }
    if (arguments.size() == 2 && function.of_two != nullptr) {
      return made([x = arguments[0], y = arguments[1],
                   of = function.of_two](double time) { return of(x->at(time), y->at(time)); },
                  varies);
    }
  }
  return nullptr;
}

TimeExpressionPtr make_chain(const TimeExpressionPtr& first, const std::vector<ChainLink>& links) {
  std::vector<double (*)(double, double)> signs;
  std::vector<TimeExpressionPtr> operands{first};
  for (const ChainLink& link : links) {
    signs.push_back(std::find_if(std::begin(functions), std::end(functions), [&](const auto& f) {
                      return f.name == link.sign;
                    })->of_two);
    operands.push_back(link.operand);
  }
  const bool varies = do_vary(operands);
  return made(
      [=](double time) {
        double value = operands[0]->at(time);
        for (std::size_t n = 0; n < signs.size(); ++n)
          value = signs[n](value, operands[n + 1]->at(time));
        return value;
      },
      varies);
}

TimeExpressionPtr make_table(const TimeExpressionPtr& argument, std::vector<double> points,
                             std::vector<double> values) {
  return made(
      [argument, points = std::move(points), values = std::move(values)](double time) {
        const double x = argument->at(time);
        const auto after = std::upper_bound(points.begin(), points.end(), x);
        if (after == points.begin()) return values.front();
        if (after == points.end()) return values.back();
        const auto n = static_cast<std::size_t>(after - points.begin());
        const double part = (x - points[n - 1]) / (points[n] - points[n - 1]);
        return values[n - 1] + part * (values[n] - values[n - 1]);
      },
      argument->varies);
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& function : functions) {
    if (function.name.size() > 1) names.emplace_back(function.name);
  }
  return names;
}

}  // namespace goban
