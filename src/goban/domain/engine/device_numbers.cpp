#include "goban/domain/engine/device_numbers.hpp"

#include <algorithm>
#include <cstring>

namespace goban {

DeviceNumbers::DeviceNumbers(Executor& executor,
                             const std::set<std::shared_ptr<ParameterRecord>>& numbers)
    : executor_(executor),
      numbers_(numbers.begin(), numbers.end()),
      values_(numbers.size() + 2),
      memory_(executor.allocate(values_.size() * sizeof(double))) {}

double* DeviceNumbers::find(const ParameterRecord* number) const {
  const auto found = std::find_if(numbers_.begin(), numbers_.end(),
                                  [&](const auto& one) { return one.get() == number; });
  return found == numbers_.end() ? nullptr
                                 : place(static_cast<std::size_t>(found - numbers_.begin()));
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
  values_[numbers_.size()] = 0;
  values_[numbers_.size() + 1] = static_cast<double>(most_rounds);
  const auto* const from = reinterpret_cast<const std::byte*>(values_.data());
  const std::size_t bytes = values_.size() * sizeof(double);
  if (DeviceMemory* const memory = executor_.device_memory()) {
    memory->upload(memory_.get(), from, bytes);
  } else {
    std::memcpy(memory_.get(), from, bytes);
  }
}

Index DeviceNumbers::download() {
  auto* const to = reinterpret_cast<std::byte*>(values_.data());
  const std::size_t bytes = values_.size() * sizeof(double);
  if (DeviceMemory* const memory = executor_.device_memory()) {
    memory->download(to, memory_.get(), bytes);
  } else {
    std::memcpy(to, memory_.get(), bytes);
  }
  for (std::size_t n = 0; n < numbers_.size(); ++n) numbers_[n]->value = values_[n];
  return static_cast<Index>(values_[numbers_.size()]);
}

}  // namespace goban
