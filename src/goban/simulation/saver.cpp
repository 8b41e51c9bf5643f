#include "goban/simulation/saver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/checkpoint/directory_store.hpp"
#include "goban/checkpoint/shared_store.hpp"

namespace goban {

namespace {
constexpr double guessed_bandwidth = 200e6;  // bytes/s, of a slow disk
}

Saver::Saver(RunPlan& plan, const Engines& engines, StepClock& clock)
    : plan_(plan), engines_(engines), clock_(clock) {}

bool Saver::restore(const FileRanks& ranks, std::vector<std::string>& unknown,
                    const CheckpointStore::Log& log) {
  if (!plan_.directory().empty()) {
    const CheckpointPolicy& policy = plan_.checkpoint_policy;
    auto files = std::make_unique<DirectoryStore>(
        std::filesystem::path(plan_.directory()) / "chk",
        DirectoryStoreOptions{.keep = policy.keep, .archive_every = policy.archive_every}, ranks);
    store_ = std::make_unique<SharedStore>(std::move(files), plan_.communicator());
  }
  const Restart restart = plan_.restart();
  const bool wanted = restart.from != Restart::From::beginning;
  require(store_ || !wanted, "a restart needs a directory", "there is nowhere to look",
          "set .directory");
  if (!wanted) return false;
  CheckpointChoice choice;
  if (restart.from == Restart::From::step) choice.step = restart.step;
  const auto state = store_->load(choice, subject_of(plan_, engines_), log);
  if (!state) {
    log("no checkpoint in " + plan_.directory() + " yet: starting from the beginning");
    return false;
  }
  unknown = restore_state(*state, plan_, engines_, clock_);
  std::string changes;
  for (const CaseChange& change : changes_since(*state, plan_)) {
    changes += (changes.empty() ? "" : ", ") + change.text();
  }
  if (!changes.empty()) log(fmt::format("the case changes at step {}: {}", clock_.step, changes));
  saved_step_ = clock_.step;
  return true;
}

void Saver::begin(const CheckpointStore::Log& log) {
  if (!store_) return;
  if (saved_step_ >= 0) return store_->set_aside_after(saved_step_);
  const std::string moved = store_->set_aside_all();
  if (!moved.empty()) log("checkpoints of an earlier run are now in " + moved);
}

void Saver::save() {
  if (!store_ || has_saved()) return;
  const auto start = std::chrono::steady_clock::now();
  agree(*plan_.communicator(), [&] {
    for (const auto& output : plan_.outputs) output->sync();
  });
  store_->save(subject_of(plan_, engines_), state_of(plan_, engines_, clock_));
  saved_step_ = clock_.step;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  seconds_ += took.count();
  longest_ = std::max(longest_, took.count());
}

double Saver::seconds_expected() const {
  if (!store_ || longest_ > 0) return longest_;
  double bytes = 0;
  for (const CheckpointArray& array : subject_of(plan_, engines_).arrays) {
    bytes += static_cast<double>(array.bytes());
  }
  return bytes / guessed_bandwidth;
}

}  // namespace goban
