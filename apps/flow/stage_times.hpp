#pragma once
// Numbers of a flow that vary in time, as the stages of a step see them.

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "goban/boundary/boundary.hpp"
#include "goban/io/case/time_value.hpp"
#include "goban/program/program.hpp"

namespace goban::flow {

/// When a stage looks at a number.
enum class Moment {
  begin,   ///< what its rates follow from: forces, what walls hold
  middle,  ///< what acts during it: pressures at sides
  end      ///< what it leaves: velocities through sides
};

/// Parameters that programs set: before a stage, and before what is shown.
class StageTimes {
 public:
  /// `dt` [s]: the length of the step.
  explicit StageTimes(Parameter<double> dt) : dt_(std::move(dt)) {}

  /// A parameter that holds the value.
  template <class T>
  Parameter<T> follow(const std::string& name, const TimeValue& value, Moment moment) {
    const Parameter<T> now(name, static_cast<T>(value.at(0)));
    set_[index(moment)].push_back([=, dt = dt_](Program& program, double part) {
      if (value.varies()) {
        program.follow(now, after(part, dt, value));
      } else {
        program.compute([](auto fixed, auto& number) { number = convert<T>(fixed); },
                        in(value.at(0)), out(now));
      }
    });
    return now;
  }

  /// The same conditions, whose numbers are those at the beginning of a stage.
  BoundarySet follow(BoundarySet sides) {
    for (auto& axis : sides.sides) {
      for (BoundaryCondition& side : axis) {
        if (side.varying) side.varying = follow(side.varying);
      }
    }
    return sides;
  }

  /// Sets the numbers of a moment, this part of the step after it has begun.
  void add(Program& program, Moment moment, double part) const {
    for (const auto& set : set_[index(moment)]) set(program, part);
  }

 private:
  struct Followed {
    std::shared_ptr<const TimeRule> rule, now;
  };

  static std::size_t index(Moment moment) { return static_cast<std::size_t>(moment); }
  /// The value that long after the time that it is asked for.
  template <class Value>
  static auto after(double part, const Parameter<double>& dt, const Value& value) {
    return [=](double time) { return value(part == 0 ? time : time + part * dt.value()); };
  }

  /// One parameter for equal rules, so that conditions that are equal remain so.
  std::shared_ptr<const TimeRule> follow(const std::shared_ptr<const TimeRule>& rule) {
    for (const Followed& known : followed_) {
      if (known.rule->is_same_as(*rule)) return known.now;
    }
    const Parameter<double> now("side_" + std::to_string(followed_.size() + 1), (*rule)(0));
    const auto value = [rule](double time) { return (*rule)(time); };
    set_[index(Moment::begin)].push_back([=, dt = dt_](Program& program, double part) {
      program.follow(now, after(part, dt, value));
    });
    followed_.push_back({rule, BoundaryNumber(now).varying});
    return followed_.back().now;
  }

  Parameter<double> dt_;
  std::array<std::vector<std::function<void(Program&, double part)>>, 3> set_;
  std::vector<Followed> followed_;
};

}  // namespace goban::flow
