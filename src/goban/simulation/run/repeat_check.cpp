#include "goban/simulation/run/repeat_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "goban/base/activity.hpp"
#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/io/file/array_view.hpp"
#include "goban/simulation/checkpointer/run_state.hpp"
#include "goban/simulation/report/run_files.hpp"

namespace goban {
namespace {

constexpr const char* advice =
    "look at the memory and the processors of the machine; go on from the last checkpoint";

/// What steps change; who has what stays as it is now.
CheckpointSubject changing_fields(RunPlan& plan, const Engines& engines) {
  CheckpointSubject subject = subject_of(plan, engines);
  std::vector<CheckpointArray> changing;
  const auto& live = engines.live_fields();
  for (std::size_t i = 0; i < subject.arrays.size(); ++i) {
    if (i < live.size() ? !live[i].changes : !subject.arrays[i].stepped) continue;
    std::vector<Box> boxes;
    for (int rank = 0; rank < plan.communicator()->size(); ++rank) {
      boxes.push_back(subject.arrays[i].owned_by(rank));
    }
    changing.push_back(subject.arrays[i]);
    changing.back().owned_by = [boxes](int rank) { return boxes[static_cast<std::size_t>(rank)]; };
  }
  subject.arrays = std::move(changing);
  return subject;
}

}  // namespace

RepeatCheck::RepeatCheck(RunPlan& plan, Engines& engines, StepClock& clock)
    : plan_(plan), engines_(engines), clock_(clock) {}

void RepeatCheck::hold() {
  const Doing doing(Activity::checkpoint);
  Communicator& ranks = *plan_.communicator();
  subject_ = changing_fields(plan_, engines_);
  before_.take(subject_, {}, ranks.size(), ranks.rank());
  clock_before_ = clock_;
  numbers_.clear();
  for (const auto& parameter : parameters_of(plan_, engines_)) {
    numbers_.push_back(parameter->value);
  }
}

void RepeatCheck::repeat(Index steps) {
  Communicator& ranks = *plan_.communicator();
  {
    const Doing doing(Activity::checkpoint);
    once_.take(subject_, {}, ranks.size(), ranks.rank());
    give_back();
  }
  engines_.sampling().clear();
  engines_.step().run(steps, clock_);
  engines_.step().synchronize();
  const Doing doing(Activity::checkpoint);
  before_.take(subject_, {}, ranks.size(), ranks.rank());
  agree(ranks, [&] {
    for (std::size_t i = 0; i < subject_.arrays.size(); ++i) compare(i);
  });
}

void RepeatCheck::give_back() {
  for (std::size_t i = 0; i < subject_.arrays.size(); ++i) {
    const StateCopy::Share& share = before_.shares()[i];
    subject_.arrays[i].copy_in(share.box, share.values.get());
  }
  clock_ = clock_before_;
  const auto parameters = parameters_of(plan_, engines_);
  for (std::size_t i = 0; i < numbers_.size(); ++i) parameters[i]->value = numbers_[i];
}

/// Compares this rank's share.
void RepeatCheck::compare(std::size_t array) const {
  const CheckpointArray& what = subject_.arrays[array];
  const StateCopy::Share &first = once_.shares()[array], &second = before_.shares()[array];
  const auto size = static_cast<Index>(size_of(what.type));
  const auto bytes = static_cast<std::size_t>(first.box.volume() * what.bytes_per_cell());
  if (std::memcmp(first.values.get(), second.values.get(), bytes) == 0) return;
  const std::byte* const values = first.values.get();
  const auto at = std::mismatch(values, values + bytes, second.values.get()).first - values;
  const Index3 n = first.box.extents();
  const Index place = at / size, cell = place % product(n);
  const Index3 local{cell % n[0], cell / n[0] % n[1], cell / (n[0] * n[1])};
  const auto value = [&](const StateCopy::Share& share) {
    return dense_view(what.type, n, what.components, share.values.get())
        .at(local[0], local[1], local[2], static_cast<int>(place / product(n)));
  };
  std::string component;
  if (what.components > 1) component = fmt::format(", component {}", place / product(n));
  const Communicator& ranks = *plan_.communicator();
  throw Error(
      ExitCode::corrupted,
      fmt::format("field '{}' differs between two computations of the same steps", what.name),
      fmt::format("step {}, cell ({}, {}, {}){}: {} and {}; rank {} on {}", clock_.step,
                  first.box.lower[0] + local[0], first.box.lower[1] + local[1],
                  first.box.lower[2] + local[2], component, value(first), value(second),
                  ranks.rank(), host_name()),
      advice);
}

void RepeatCheck::check_constants() {
  if (interval() == 0 || checked_step_ == clock_.step || !plan_.adjustments.empty()) return;
  const bool is_first = checksums_.empty();
  std::size_t i = 0;
  for (const LiveField& field : engines_.live_fields()) {
    if (field.changes) continue;
    const std::uint64_t checksum = field.grid->storage().checksum(*field.record);
    if (is_first) {
      checksums_.push_back(checksum);
    } else if (checksums_[i++] != checksum) {
      throw Error(ExitCode::corrupted,
                  fmt::format("field '{}' has changed, which no step writes", field.record->name),
                  fmt::format("between step {} and step {}", checked_step_, clock_.step), advice);
    }
  }
  checked_step_ = clock_.step;
}

}  // namespace goban
