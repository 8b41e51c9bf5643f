#pragma once
// What a TimeValue computes.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace goban {

/// A function of time: numbers, t and what is done with them.
struct TimeExpression {
  std::function<double(double time)> at;
  bool varies = true;
};

using TimeExpressionPtr = std::shared_ptr<const TimeExpression>;

TimeExpressionPtr make_number(double number);
TimeExpressionPtr make_time();
/// A function of function_names() or one of "+", "-", "*", "/", "^" of one or two arguments. Null:
/// there is none of that name and number of arguments.
TimeExpressionPtr make_function(std::string_view name, std::vector<TimeExpressionPtr> arguments);
/// What follows in a chain of operations of equal rank: "+" or "-" and a term, "*" or "/" and a
/// factor.
struct ChainLink {
  std::string_view sign;
  TimeExpressionPtr operand;
};
/// From left to right; however long, it is one level deep.
TimeExpressionPtr make_chain(const TimeExpressionPtr& first, const std::vector<ChainLink>& links);
/// Linear between points, which grow; before the first and after the last it holds their values.
TimeExpressionPtr make_table(const TimeExpressionPtr& argument, std::vector<double> points,
                             std::vector<double> values);

}  // namespace goban
