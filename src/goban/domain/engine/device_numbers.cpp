#include "goban/domain/engine/device_numbers.hpp"

#include <algorithm>
#include <cstring>

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
      values_(first_of(within.size())),
      memory_(executor.allocate(values_.size() * sizeof(double))) {}

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

Index DeviceNumbers::rounds_within(std::size_t n) const {
  return static_cast<Index>(values_[first_of(n) + 2]);
}

Index DeviceNumbers::entered(std::size_t n) const {
  return static_cast<Index>(values_[first_of(n) + 3]);
}

const Stage* DeviceNumbers::missed() const {
  const auto mark = static_cast<std::size_t>(values_[numbers_.size() + 2]);
  return mark > 0 ? within_[mark - 1] : nullptr;
}

Index DeviceNumbers::steps_of_missed() const {
  const auto n = static_cast<std::size_t>(values_[numbers_.size() + 2]) - 1;
  return static_cast<Index>(values_[first_of(n)]) * within_[n]->count;
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
  for (std::size_t n = 0; n < numbers_.size(); ++n) values_[n] = numbers_[n]->value;
  std::fill(values_.begin() + std::ssize(numbers_), values_.end(), 0);
  values_[numbers_.size() + 1] = static_cast<double>(most_rounds);
  for (std::size_t n = 0; n < within_.size(); ++n) {
    values_[first_of(n) + 1] = static_cast<double>(most_rounds_of(*within_[n]));
  }
  const auto* const from = reinterpret_cast<const std::byte*>(values_.data());
  executor_.loops()->upload_numbers(memory_, from, values_.size() * sizeof(double));
}

Index DeviceNumbers::download() {
  auto* const to = reinterpret_cast<std::byte*>(values_.data());
  executor_.loops()->download_numbers(to, memory_, values_.size() * sizeof(double));
  for (std::size_t n = 0; n < numbers_.size(); ++n) numbers_[n]->value = values_[n];
  return static_cast<Index>(values_[numbers_.size()]);
}

}  // namespace goban
