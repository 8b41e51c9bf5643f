// How an adjoint runs: forwards, and back step by step, with states kept on the way.

#include <algorithm>
#include <limits>

#include "goban/adjoint/adjoint.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/data/domain.hpp"

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

}  // namespace

/// Values of each field. What is taken from the system anew is slow at first: a page at a time.
struct Adjoint::State {
  std::vector<std::unique_ptr<std::byte[]>> values;
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
  return state;
}

void Adjoint::restore(const State& state) const {
  for (std::size_t n = 0; n < state_fields_.size(); ++n) {
    const Box box = share_of(*fields_.grid(), *state_fields_[n]);
    copy_in(*fields_.grid(), *state_fields_[n], box, state.values[n].get());
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

/// How many steps are best kept at a time: such that least is computed again.
Index Adjoint::steps_to_keep(Index steps, Index states) {
  constexpr Index most = 64;  // an engine prepares a step for each
  Index best = 1, least = std::numeric_limits<Index>::max();
  for (Index kept = 1; kept <= std::min(steps, most); ++kept) {
    const Index others = states - states_of(kept);
    if (others < 1) break;
    const Index again = kept * computed_again((steps + kept - 1) / kept, others);
    if (again < least) best = kept;
    least = std::min(least, again);
  }
  if (best <= steps_kept_) return best;
  const Index more = domain_of(*fields_.grid()).copies_that_fit(kept_->fields());
  return std::clamp<Index>(best, 1, std::max<Index>(1, steps_kept_ + more));
}

/// The states that so many kept steps stand for: one comes with the fields themselves.
Index Adjoint::states_of(Index kept) const {
  const auto bytes = [&](const std::vector<FieldPointer>& fields) {
    Index sum = 0;
    for (const FieldPointer& field : fields) {
      sum += fields_.grid()->domain(field->location).volume() * field->components *
             static_cast<Index>(field->element_size());
    }
    return sum;
  };
  const Index of_state = std::max<Index>(1, bytes(state_fields_));
  return ((kept - 1) * bytes(kept_->fields()) + of_state - 1) / of_state;
}

void Adjoint::keep_steps(Index steps) {
  if (steps == steps_kept_) return;
  steps_kept_ = steps;
  record_engine_ = nullptr;
  back_engine_ = nullptr;
}

void Adjoint::record(Index first, Index last) {
  if (!record_engine_) {
    record_engine_ = std::make_unique<Engine>(kept_->recording(steps_kept_, fields_));
  }
  run(record_engine_, step_program_, last - first, clocks_[static_cast<std::size_t>(first)]);
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
  if (!sees_time_ && !sampled_) {
    return run(back_engine_, back_, last - first, clocks_[static_cast<std::size_t>(first)]);
  }
  while (last-- > first) {
    forget_samples();
    if (sampled_) sampled_->go_to(last);
    run(back_engine_, back_, 1, clocks_[static_cast<std::size_t>(last)]);
  }
}

/// Takes the steps from `first` to `last` back; `kept` is the state at `first`, which the fields
/// hold, too, and so many more states may be kept.
void Adjoint::reverse(Index first, Index last, Index more, const State& kept) {
  while (last - first > steps_kept_ && more > 0) {
    const Index parts = (last - first + steps_kept_ - 1) / steps_kept_;
    const Index middle = first + steps_kept_ * next_distance(parts, more + 1);
    run_forward(first, middle);
    auto state = save();
    reverse(middle, last, more - 1, *state);
    spare_states_.push_back(std::move(state));
    restore(kept);
    last = middle;
  }
  while (first < last) {
    const Index begin = std::max(first, last - steps_kept_);
    run_forward(first, begin);
    record(begin, last);
    if (!has_begun_) begin_back();
    go_back(begin, last);
    last = begin;
    if (first < last) restore(kept);
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
  steps_computed_ = 0;
  records_before_.clear();
  for (const auto& sample : step_.samples) {
    records_before_.push_back(sample.samples->records().size());
  }
}

/// Goes to the end and back, and has fields hold again what they held.
void Adjoint::reverse_from_state(Index steps, Index states) {
  auto first = save();
  if (needs_states_ && steps > 0) {
    reverse(0, steps, states - states_of(steps_kept_) - 1, *first);
  } else {
    run_forward(0, steps);
    begin_back();
    go_back(0, steps);
  }
  restore(*first);
  spare_states_.push_back(std::move(first));
}

double Adjoint::evaluate(Index steps, Index states, const StepClock& clock) {
  require(states >= 1, "a gradient with " + std::to_string(states) + " states is refused",
          "the first is one", "allow for one or more");
  require(!clock.dt_parameter || !sees_time_ ||
              std::none_of(numbers_.begin(), numbers_.end(),
                           [&](const auto& one) { return one.first == clock.dt_parameter; }),
          "no derivatives with respect to the time step",
          "functors ask for the time, which depends on it", "pass the time as a parameter");
  start(steps, clock);
  const bool are_kept = needs_states_ && steps > 0;
  if (are_kept) keep_steps(steps_to_keep(steps, states));
  if (are_kept && steps <= steps_kept_ && kept_->keeps(state_fields_)) {
    record(0, steps);
    begin_back();
    go_back(0, steps);
  } else {
    reverse_from_state(steps, states);
  }
  forget_samples();
  return sampled_ ? sampled_value_ : objective_program_.stages().front()->target->value;
}

void Adjoint::look_ahead(Index steps, const std::function<void()>& look, const StepClock& clock) {
  start(steps, clock);
  auto first = save();
  run_forward(0, steps);
  look();
  restore(*first);
  spare_states_.push_back(std::move(first));
  forget_samples();
}

}  // namespace goban
