#include "goban/domain/engine/device_numbers.hpp"

#include <algorithm>

namespace goban {
namespace {

Index most_rounds_of(const Stage& loop) {
  return loop.kind == Stage::Kind::until ? loop.limit / loop.count : loop.count;
}

}  // namespace

DeviceNumbers::DeviceNumbers(Executor& executor,
                             const std::set<std::shared_ptr<ParameterRecord>>& numbers,
                             const std::vector<const Stage*>& within)
    : executor_(executor),
      numbers_(numbers.begin(), numbers.end()),
      within_(within),
      table_(executor),
      place_(table_.take(count())) {}

double* DeviceNumbers::find(const ParameterRecord* number) const {
  const auto found = std::find_if(numbers_.begin(), numbers_.end(),
                                  [&](const auto& one) { return one.get() == number; });
  return found == numbers_.end() ? nullptr
                                 : place(static_cast<std::size_t>(found - numbers_.begin()));
}

LoopEnd DeviceNumbers::end_of(const Stage& loop, std::size_t first) const {
  LoopEnd end;
  if (loop.kind == Stage::Kind::until) {
    end.number = find(loop.condition.parameter.get());
    end.is_below = loop.condition.less;
    end.bound = loop.condition.bound;
  }
  end.rounds = place(first);
  end.most_rounds = place(first + 1);
  end.missed = place(numbers_.size() + 2);
  return end;
}

LoopEnd DeviceNumbers::end(const Stage& loop) const { return end_of(loop, numbers_.size()); }

LoopEnd DeviceNumbers::end_within(std::size_t n) const {
  const Stage& loop = *within_[n];
  LoopEnd end = end_of(loop, first_of(n));
  end.all_rounds = place(first_of(n) + 2);
  end.entered = place(first_of(n) + 3);
  if (loop.kind == Stage::Kind::until) end.mark = static_cast<double>(n + 1);
  return end;
}

Index DeviceNumbers::rounds_within(std::size_t n) const { return downloaded(first_of(n) + 2); }

Index DeviceNumbers::entered(std::size_t n) const { return downloaded(first_of(n) + 3); }

const Stage* DeviceNumbers::missed() const {
  const Index mark = downloaded(numbers_.size() + 2);
  return mark > 0 ? within_[static_cast<std::size_t>(mark - 1)] : nullptr;
}

Index DeviceNumbers::steps_of_missed() const {
  const auto n = static_cast<std::size_t>(downloaded(numbers_.size() + 2) - 1);
  return downloaded(first_of(n)) * within_[n]->count;
}

std::vector<const double*> DeviceNumbers::places(const Stage& sweep) const {
  std::vector<const double*> all;
  for (const auto& argument : sweep.arguments) all.push_back(find(argument.parameter.get()));
  return all;
}

ScalarTask DeviceNumbers::task(const std::shared_ptr<const Stage>& stage) const {
  ScalarTask task{stage, {}};
  for (const auto& parameter : stage->parameters) task.numbers.push_back(find(parameter.get()));
  return task;
}

EventPtr DeviceNumbers::compute(const std::shared_ptr<const Stage>& stage) const {
  return executor_.loops()->compute(task(stage), {});
}

void DeviceNumbers::upload(Index most_rounds) {
  table_.start();
  double* const values = table_.take(count()).host;
  std::fill_n(values, count(), 0.0);
  for (std::size_t n = 0; n < numbers_.size(); ++n) values[n] = numbers_[n]->value;
  values[numbers_.size() + 1] = static_cast<double>(most_rounds);
  for (std::size_t n = 0; n < within_.size(); ++n) {
    values[first_of(n) + 1] = static_cast<double>(most_rounds_of(*within_[n]));
  }
  table_.upload();
}

Index DeviceNumbers::download() {
  table_.download();
  for (std::size_t n = 0; n < numbers_.size(); ++n) numbers_[n]->value = place_.host[n];
  return downloaded(numbers_.size());
}

}  // namespace goban
