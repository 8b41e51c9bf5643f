// How an adjoint runs: forwards, and back step by step, with states kept on the way.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "goban/adjoint/adjoint.hpp"
#include "goban/base/error.hpp"
#include "goban/checkpoint/hash.hpp"
#include "goban/domain/data/domain.hpp"

namespace goban {
namespace {

using detail::FieldPointer;
using detail::FieldSet;
using detail::StepRecord;
using detail::StepSweep;

/// The most steps that can be taken back from `states` kept ones, the first among them, where none
/// is computed more than `times` times.
Index most_steps(Index states, Index times) {
  Index steps = 1;  // binomial coefficient of states + times over states
  for (Index n = 1; n <= states; ++n) {
    if (steps > std::numeric_limits<Index>::max() / (times + n)) {
      return std::numeric_limits<Index>::max();
    }
    steps = steps * (times + n) / n;
  }
  return steps;
}

/// How often some of these steps are computed to get to all of them.
Index times_computed(Index steps, Index states) {
  Index times = 0;
  while (most_steps(states, times) < steps) ++times;
  return times;
}

/// How far to go before the next state is kept.
Index next_distance(Index steps, Index states) {
  return std::clamp<Index>(most_steps(states, times_computed(steps, states) - 1), 1, steps - 1);
}

/// The steps that are computed to get to the beginning of each, the last one first (Griewank 1992).
Index computed_again(Index steps, Index states) {
  const Index times = times_computed(steps, states);
  return times == 0 ? 0 : times * steps - most_steps(states + 1, times - 1);
}

/// What tells a graph from others.
std::string text_of(const Graph& graph) {
  std::string text = graph.signature();
  for (const int constant : graph.argument_constants()) {
    text += fmt::format(" {}", graph.nodes()[static_cast<std::size_t>(constant)].data[0]);
  }
  return text;
}

}  // namespace

/// Numbers that steps hand on, as they are.
std::vector<double> Adjoint::handed_numbers() const {
  std::vector<double> values;
  for (const auto& [number, last] : step_.handed) values.push_back(number->value);
  return values;
}

/// They are what they were at the beginning of this step.
void Adjoint::hand(Index step) const {
  const std::vector<double>& values = handed_[static_cast<std::size_t>(step)];
  for (std::size_t n = 0; n < values.size(); ++n) step_.handed[n].first->value = values[n];
}

void Adjoint::prepare(std::unique_ptr<Engine>& engine, const Program& program) {
  if (engine || program.stages().empty()) return;
  engine = std::make_unique<Engine>(program);
  engine->prepare();
}

void Adjoint::run(std::unique_ptr<Engine>& engine, const Program& program, Index steps,
                  StepClock clock) {
  if (program.stages().empty()) return;
  prepare(engine, program);
  engine->run(steps, clock);
  engine->synchronize();
}

void Adjoint::run_forward(Index first, Index last) {
  if (first == last) return;
  run(step_engine_, step_program_, last - first, clocks_[static_cast<std::size_t>(first)]);
  steps_computed_ += last - first;
}

/// How many steps are best kept at a time: such that least is computed again.
Index Adjoint::steps_to_keep(Index steps, const StateBudget& budget) {
  constexpr Index most = 64;  // an engine prepares a step for each
  Index best = 1, least = std::numeric_limits<Index>::max();
  for (Index kept = 1; kept <= std::min(steps, most); ++kept) {
    const Index others = states_beside(kept, budget);
    if (others < 1) break;
    const Index again = kept * computed_again((steps + kept - 1) / kept, others);
    if (again < least) best = kept;
    least = std::min(least, again);
  }
  if (best <= steps_kept_) return best;
  const Index more = domain_of(*fields_.grid()).copies_that_fit(kept_->fields());
  return std::clamp<Index>(best, 1, std::max<Index>(1, steps_kept_ + more));
}

/// The whole states that may be kept beside what the adjoint reads of so many steps; of one of
/// these, that comes with the fields themselves.
Index Adjoint::states_beside(Index kept, const StateBudget& budget) const {
  const double state = std::max(1.0, states_->bytes());
  const double others =
      static_cast<double>(budget.states) - std::ceil(bytes_of_kept(kept - 1) / state);
  if (!budget.folder.empty()) return static_cast<Index>(others);
  return static_cast<Index>(std::min(others, (budget.bytes - bytes_of_kept(kept)) / state));
}

/// The memory of a process for what the adjoint reads of so many steps.
double Adjoint::bytes_of_kept(Index steps) const {
  const GridState& grid = *fields_.grid();
  double bytes = 0;
  for (const FieldPointer& field : kept_->fields()) {
    const Box box = grid.member(field->grid).domain(field->location);
    bytes += static_cast<double>(box.volume() * field->components) *
             static_cast<double>(field->element_size());
  }
  return static_cast<double>(steps) * bytes / grid.root->context->communicator()->size();
}

void Adjoint::keep_steps(Index steps) {
  if (steps == steps_kept_) return;
  steps_kept_ = steps;
  back_engine_ = nullptr;
  record_engine_ = nullptr;
  prepare(record_engine_, kept_->recording(steps_kept_, fields_));
}

void Adjoint::record(Index first, Index last) {
  steps_computed_ += last - first;
  const Index at_once = kept_->reads_handed() ? 1 : last - first;
  for (Index n = first; n < last; n += at_once) {
    handed_[static_cast<std::size_t>(n)] = handed_numbers();
    run(record_engine_, step_program_, at_once, clocks_[static_cast<std::size_t>(n)]);
  }
}

/// At the end of the last step.
void Adjoint::begin_back() {
  for (const auto& [parameter, gradient] : numbers_) gradient->value = 0;
  if (sampled_) evaluate_samples();
  run(objective_engine_, objective_program_, 1, clocks_.back());
  run(begin_engine_, begin_, 1, clocks_.back());
  has_begun_ = true;
}

/// Hands what was sampled on the way here to the objective.
void Adjoint::evaluate_samples() {
  const detail::StepSample* sample = sample_of_objective();
  const auto before = records_before_[static_cast<std::size_t>(sample - step_.samples.data())];
  const auto& records = sample->samples->records();
  sampled_value_ =
      sampled_->evaluate({records.begin() + static_cast<std::ptrdiff_t>(before), records.end()});
}

/// Records of steps that an adjoint computes are nobody's business.
void Adjoint::forget_samples() const {
  for (std::size_t n = 0; n < step_.samples.size(); ++n) {
    auto& records = step_.samples[n].samples->records();
    records.resize(std::min(records.size(), records_before_[n]));
  }
}

/// Takes steps back, whose values are kept.
void Adjoint::go_back(Index first, Index last) {
  if (!back_engine_) {
    Program back = back_;
    if (steps_kept_ > 0) {
      for (const auto& stage : kept_->undoing(kept_->recording(steps_kept_, fields_))) {
        back.add(stage);
      }
    }
    back_engine_ = std::make_unique<Engine>(std::move(back));
  }
  if (!sees_time_ && !sampled_ && !kept_->reads_handed()) {
    return run(back_engine_, back_, last - first, clocks_[static_cast<std::size_t>(first)]);
  }
  while (last-- > first) {
    forget_samples();
    if (sampled_) sampled_->go_to(last);
    if (kept_->reads_handed()) hand(last);
    run(back_engine_, back_, 1, clocks_[static_cast<std::size_t>(last)]);
  }
}

/// Takes the steps from `first` to `last` back; `kept` is the state at `first`, which the fields
/// hold, too, and so many more states may be kept.
void Adjoint::reverse(Index first, Index last, Index more, detail::KeptState& kept) {
  while (last - first > steps_kept_ && more > 0) {
    const Index parts = (last - first + steps_kept_ - 1) / steps_kept_;
    const Index middle = first + steps_kept_ * next_distance(parts, more + 1);
    run_forward(first, middle);
    auto state = states_->save();
    handed_[static_cast<std::size_t>(middle)] = handed_numbers();
    reverse(middle, last, more - 1, *state);
    states_->release(std::move(state));
    kept.restore();
    hand(first);
    last = middle;
  }
  while (first < last) {
    const Index begin = std::max(first, last - steps_kept_);
    run_forward(first, begin);
    record(begin, last);
    if (!has_begun_) begin_back();
    go_back(begin, last);
    last = begin;
    save_place(last);
    if (first < last) {
      kept.restore();
      hand(first);
    }
  }
}

/// The clock of every step, and what there was before the first.
void Adjoint::start(Index steps, const StepClock& clock) {
  require(steps >= 0, "a gradient of " + std::to_string(steps) + " steps is refused",
          "there are none below 0");
  clocks_.assign(1, clock);
  for (Index n = 0; n < steps; ++n) {
    clocks_.push_back(clocks_.back());
    clocks_.back().advance();
  }
  has_begun_ = false;
  way_ = nullptr;  // an evaluation that failed has left its own
  steps_computed_ = 0;
  handed_.assign(static_cast<std::size_t>(steps) + 1, {});
  handed_.front() = handed_numbers();
  records_before_.clear();
  for (const auto& sample : step_.samples) {
    records_before_.push_back(sample.samples->records().size());
  }
}

/// What the way starts from: the program, its values, and the time.
std::string Adjoint::start_key(Index steps) const {
  std::string text = fmt::format("{} steps from {} by {}\n", steps, clocks_.front().time,
                                 clocks_.front().current_dt());
  const FieldSet overwritten = step_.overwritten_first();
  FieldSet read;
  for (const StepRecord* record : {&step_, &objective_}) {
    for (const StepSweep& sweep : record->sweeps) {
      if (sweep.stage->graph) text += text_of(*sweep.stage->graph);
      for (const StageArgument& argument : sweep.arguments) {
        if (argument.parameter) text += fmt::format(" {}", argument.parameter->value);
        const bool is_read = argument.field && argument.access != Access::out;
        if (is_read && overwritten.count(argument.field) == 0) read.insert(argument.field);
      }
    }
  }
  for (const FieldPointer& field : read) {
    text += fmt::format("\n{} {}", field->name, hex_of(fields_.grid()->storage().checksum(*field)));
  }
  return hex_of(hash_of(text));
}

/// How many steps are to be taken back: fewer than all where another process has begun.
Index Adjoint::steps_left(Index steps, const StateBudget& budget, detail::KeptState& first) {
  if (budget.folder.empty()) return steps;
  way_ = std::make_unique<detail::WayBack>(budget.folder, start_key(steps), fields_, numbers_);
  save_every_ = budget.save_every;
  saved_at_ = std::chrono::steady_clock::now();
  const auto place = way_->restore();
  if (!place) return steps;
  if (sampled_) {
    run_forward(0, steps);
    evaluate_samples();
    forget_samples();
    first.restore();
    hand(0);
  }
  value() = place->value;
  has_begun_ = true;
  return place->steps_left;
}

void Adjoint::save_place(Index left) {
  if (!way_ || left == 0) return;
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - saved_at_;
  std::array<std::int64_t, 1> waits{since.count() < save_every_ ? 1 : 0};
  fields_.grid()->root->context->communicator()->minimum(waits);
  if (waits[0] > 0) return;
  way_->save({left, value()});
  saved_at_ = std::chrono::steady_clock::now();
}

/// Goes to the end and back, and has fields hold again what they held.
void Adjoint::reverse_from_state(Index steps, const StateBudget& budget, Index states) {
  auto first = states_->save();
  if (needs_states_ && steps > 0) {
    reverse(0, steps_left(steps, budget, *first), states - 1, *first);
    if (way_) way_->remove();
    way_ = nullptr;
  } else {
    run_forward(0, steps);
    begin_back();
    go_back(0, steps);
  }
  first->restore();
  states_->release(std::move(first));
}

double& Adjoint::value() {
  return sampled_ ? sampled_value_ : objective_program_.stages().front()->target->value;
}

double Adjoint::evaluate(Index steps, const StateBudget& budget, const StepClock& clock) {
  require(budget.states >= 1,
          "a gradient with " + std::to_string(budget.states) + " states is refused",
          "the first is one", "allow for one or more");
  require(!clock.dt_parameter || !sees_time_ ||
              std::none_of(numbers_.begin(), numbers_.end(),
                           [&](const auto& one) { return one.first == clock.dt_parameter; }),
          "no derivatives with respect to the time step",
          "functors ask for the time, which depends on it", "pass the time as a parameter");
  start(steps, clock);
  prepare(begin_engine_, begin_);  // adjoint fields have their memory before what is kept
  const bool are_kept = needs_states_ && steps > 0;
  if (are_kept) keep_steps(steps_to_keep(steps, budget));
  if (are_kept && steps <= steps_kept_ && kept_->keeps(state_fields_)) {
    record(0, steps);
    begin_back();
    go_back(0, steps);
  } else {
    StateBudget rest = budget;
    if (are_kept) rest.states = std::max<Index>(1, states_beside(steps_kept_, budget));
    const double taken = are_kept ? bytes_of_kept(steps_kept_) : 0;
    reverse_from_state(steps, budget, states_->allow(rest, taken));
  }
  hand(0);
  forget_samples();
  return value();
}

void Adjoint::look_ahead(Index steps, const std::function<void()>& look, const StepClock& clock) {
  start(steps, clock);
  states_->allow({}, 0);
  auto first = states_->save();
  run_forward(0, steps);
  look();
  first->restore();
  states_->release(std::move(first));
  hand(0);
  forget_samples();
}

}  // namespace goban
