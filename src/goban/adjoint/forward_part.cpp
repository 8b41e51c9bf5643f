#include "goban/adjoint/forward_part.hpp"

#include <algorithm>

#include "goban/adjoint/sweep_of_nodes.hpp"
#include "goban/base/error.hpp"

namespace goban::detail {

ForwardPart::ForwardPart(const StepRecord& step, AdjointFields& fields)
    : step_(step), fields_(fields) {
  for (std::size_t n = 0; n < step.sweeps.size(); ++n) {
    for (const StageArgument& argument : step.sweeps[n].arguments) {
      if (argument.field && argument.access != Access::in) writers_[argument.field].push_back(n);
    }
  }
}

int ForwardPart::version_before(const FieldPointer& field, std::size_t sweep) const {
  const auto found = writers_.find(field);
  if (found == writers_.end()) return 0;
  const auto& writers = found->second;
  return static_cast<int>(std::lower_bound(writers.begin(), writers.end(), sweep) -
                          writers.begin());
}

void ForwardPart::serve(std::size_t sweep, const std::vector<std::shared_ptr<Stage>>& stages) {
  for (const auto& stage : stages) {
    FieldSet read;
    for (const StageArgument& argument : stage->arguments) {
      if (argument.field && !fields_.has(argument.field.get())) read.insert(argument.field);
      require_number(argument.parameter);
    }
    for (const auto& parameter : stage->parameters) require_number(parameter);
    if (stage->mask) read.insert(stage->mask);
    for (const FieldPointer& field : read) {
      const Version version{field, version_before(field, sweep)};
      readers_[field][version.second].push_back(stage);
      require_version(version);
    }
  }
}

void ForwardPart::require_version(const Version& version) {
  const auto& [field, number] = version;
  if (number == 0) {
    read_at_begin_.insert(field);
    return;
  }
  const std::size_t writer = writers_.at(field)[static_cast<std::size_t>(number) - 1];
  if (needed_sweeps_.insert(writer).second) require_inputs(writer);
}

/// Numbers that the step computes are written once, before anything reads them.
void ForwardPart::require_number(const std::shared_ptr<ParameterRecord>& number) {
  const auto writer = step_.writers.find(number.get());
  if (writer == step_.writers.end()) {
    numbers_read_.insert(number.get());
    return;
  }
  for (const std::size_t sweep : writer->second) {
    if (needed_sweeps_.insert(sweep).second) require_inputs(sweep);
  }
}

void ForwardPart::require_inputs(std::size_t sweep) {
  const StepSweep& one = step_.sweeps[sweep];
  if (one.mask) require_version({one.mask, version_before(one.mask, sweep)});
  for (const StageArgument& argument : one.arguments) {
    if (argument.access != Access::out) require_number(argument.parameter);
    if (!argument.field || one.renews(argument)) continue;
    require_version({argument.field, version_before(argument.field, sweep)});
  }
}

void ForwardPart::serve_as_they_are(std::size_t sweep, const std::vector<StageArgument>& read) {
  for (const StageArgument& argument : read) {
    if (argument.access != Access::out) require_number(argument.parameter);
    if (!argument.field) continue;
    const int version = version_before(argument.field, sweep);
    const auto writers = writers_.find(argument.field);
    const bool is_last =
        writers == writers_.end() || static_cast<std::size_t>(version) == writers->second.size();
    require(is_last, "no derivatives of '" + step_.sweeps[sweep - 1].stage->name + "'",
            "the step writes '" + argument.field->name + "', which it reads, once more behind it",
            "use another field there");
    require_version({argument.field, version});
  }
}

/// Readers of these versions of a field, which is at the last of them, read a copy from now on.
void ForwardPart::hand_copies(const FieldPointer& field, int last_version,
                              std::vector<std::shared_ptr<Stage>>& stages) {
  const auto argument = [&](const FieldPointer& one) {
    return StageArgument{StageArgument::Kind::field, Access::in, one, fields_.grid(), nullptr};
  };
  for (auto& [version, readers] : readers_[field]) {
    if (readers.empty() || version > last_version) continue;
    const FieldPointer copy = fields_.make_copy(*field);
    stages.push_back(copying_stage(argument(field), argument(copy)));
    for (const auto& reader : readers) {
      for (StageArgument& one : reader->arguments) {
        if (one.field == field) one.field = copy;
      }
      if (reader->mask == field) reader->mask = copy;
    }
    readers.clear();
  }
}

std::vector<std::shared_ptr<Stage>> ForwardPart::make() {
  std::vector<std::shared_ptr<Stage>> stages;
  for (const std::size_t sweep : needed_sweeps_) {
    const StepSweep& one = step_.sweeps[sweep];
    for (const StageArgument& written : one.arguments) {
      if (!written.field || written.access == Access::in) continue;
      hand_copies(written.field, version_before(written.field, sweep), stages);
    }
    if (one.group) {
      stages.insert(stages.end(), one.group->stages.begin(), one.group->stages.end());
      continue;
    }
    auto stage = std::make_shared<Stage>(*one.stage);
    if (!one.computes_numbers()) stage->arguments = one.arguments;
    stage->mask = one.mask;
    stages.push_back(std::move(stage));
  }
  for (const FieldPointer& field : overwritten_) {
    const auto writers = writers_.find(field);
    const auto last = writers == writers_.end() ? 0 : writers->second.size();
    hand_copies(field, static_cast<int>(last), stages);
  }
  return stages;
}

}  // namespace goban::detail
