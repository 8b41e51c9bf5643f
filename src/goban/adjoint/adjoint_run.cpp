// How an adjoint runs: forwards, and back step by step, with states kept on the way.

#include <algorithm>
#include <limits>

#include "goban/adjoint/adjoint.hpp"
#include "goban/base/error.hpp"

namespace goban {
namespace {

/// What a rank keeps of a field: a slab across its longest axis.
Box share_of(const GridState& grid, const FieldRecord& field) {
  Box box = grid.domain(field.location);
  const Index3 extents = box.extents();
  const auto axis =
      static_cast<std::size_t>(std::max_element(extents.begin(), extents.end()) - extents.begin());
  const auto communicator = grid.root->context->communicator();
  const Index lower = box.lower[axis], rank = communicator->rank(), ranks = communicator->size();
  box.lower[axis] = lower + extents[axis] * rank / ranks;
  box.upper[axis] = lower + extents[axis] * (rank + 1) / ranks;
  return box;
}

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

/// How far to go before the next state is kept.
Index next_distance(Index steps, Index states) {
  Index times = 0;
  while (most_steps(states, times) < steps) ++times;
  return std::clamp<Index>(most_steps(states, times - 1), 1, steps - 1);
}

}  // namespace

/// Values of each field, and of numbers that steps hand on. What is taken from the system anew is
/// slow at first: a page at a time.
struct Adjoint::State {
  std::vector<std::unique_ptr<std::byte[]>> values;
  std::vector<double> numbers;
};

std::shared_ptr<Adjoint::State> Adjoint::save() {
  std::shared_ptr<State> state;
  if (spare_states_.empty()) {
    state = std::make_shared<State>();
    for (const FieldPointer& field : state_fields_) {
      const Index values = share_of(*fields_.grid(), *field).volume() * field->components;
      state->values.push_back(std::make_unique_for_overwrite<std::byte[]>(
          static_cast<std::size_t>(values) * field->element_size()));
    }
  } else {
    state = std::move(spare_states_.back());
    spare_states_.pop_back();
  }
  for (std::size_t n = 0; n < state_fields_.size(); ++n) {
    const Box box = share_of(*fields_.grid(), *state_fields_[n]);
    copy_out(*fields_.grid(), *state_fields_[n], box, state->values[n].get());
  }
  state->numbers.clear();
  for (const auto& [number, last] : step_.handed) state->numbers.push_back(number->value);
  return state;
}

void Adjoint::restore(const State& state) const {
  for (std::size_t n = 0; n < state_fields_.size(); ++n) {
    const Box box = share_of(*fields_.grid(), *state_fields_[n]);
    copy_in(*fields_.grid(), *state_fields_[n], box, state.values[n].get());
  }
  for (std::size_t n = 0; n < step_.handed.size(); ++n) {
    step_.handed[n].first->value = state.numbers[n];
  }
}

void Adjoint::run(std::unique_ptr<Engine>& engine, const Program& program, Index steps,
                  StepClock clock) {
  if (program.stages().empty()) return;
  if (!engine) engine = std::make_unique<Engine>(program);
  engine->run(steps, clock);
  engine->synchronize();
}

void Adjoint::run_forward(Index first, Index last) {
  if (first == last) return;
  run(step_engine_, step_program_, last - first, clocks_[static_cast<std::size_t>(first)]);
  steps_computed_ += last - first;
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

void Adjoint::step_back_to(Index step) {
  forget_samples();
  if (sampled_) sampled_->go_to(step);
  run(back_engine_, back_, 1, clocks_[static_cast<std::size_t>(step)]);
}

/// Takes the steps from `first` to `last` back; `kept` is the state at `first`, which the fields
/// hold, too, and so many more states may be kept.
void Adjoint::reverse(Index first, Index last, Index more, const State& kept) {
  while (first + 1 < last && more > 0) {
    const Index middle = first + next_distance(last - first, more + 1);
    run_forward(first, middle);
    auto state = save();
    reverse(middle, last, more - 1, *state);
    spare_states_.push_back(std::move(state));
    restore(kept);
    last = middle;
  }
  while (first < last) {
    if (!has_begun_) {
      run_forward(first, last);
      begin_back();
      restore(kept);
    }
    run_forward(first, --last);
    step_back_to(last);
    if (first < last) restore(kept);
  }
}

double Adjoint::evaluate(Index steps, Index states, const StepClock& clock) {
  require(steps >= 0, "a gradient of " + std::to_string(steps) + " steps is refused",
          "there are none below 0");
  require(states >= 1, "a gradient with " + std::to_string(states) + " states is refused",
          "the first is one", "allow for one or more");
  require(!clock.dt_parameter || !sees_time_ ||
              std::none_of(numbers_.begin(), numbers_.end(),
                           [&](const auto& one) { return one.first == clock.dt_parameter; }),
          "no derivatives with respect to the time step",
          "functors ask for the time, which depends on it", "pass the time as a parameter");
  clocks_.assign(1, clock);
  for (Index n = 0; n < steps; ++n) {
    clocks_.push_back(clocks_.back());
    clocks_.back().advance();
  }
  has_begun_ = false;
  steps_computed_ = 0;
  records_before_.clear();
  for (const auto& sample : step_.samples) {
    records_before_.push_back(sample.samples->records().size());
  }
  auto first = save();
  if (needs_states_ && steps > 0) {
    reverse(0, steps, states - 1, *first);
  } else {
    run_forward(0, steps);
    begin_back();
    if (!sees_time_ && !sampled_) {
      run(back_engine_, back_, steps, clock);
    } else {
      for (Index n = steps; n-- > 0;) step_back_to(n);
    }
  }
  restore(*first);
  spare_states_.push_back(std::move(first));
  forget_samples();
  return sampled_ ? sampled_value_ : objective_program_.stages().front()->target->value;
}

}  // namespace goban
