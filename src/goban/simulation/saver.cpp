#include "goban/simulation/saver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/base/stopwatch.hpp"
#include "goban/checkpoint/hash.hpp"
#include "goban/checkpoint/interval.hpp"
#include "goban/checkpoint/nodes/record.hpp"
#include "goban/domain/domain.hpp"
#include "goban/domain/rank_values.hpp"
#include "goban/simulation/failure_count.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

constexpr double guessed_bandwidth = 200e6;  // bytes/s, of a slow disk
constexpr std::size_t shared_level = 3;
constexpr double unknown_mtbf = 86400;  // seconds
/// Writing beside the run may take this share of the time.
constexpr double most_busy = 0.5;

double seconds_from(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs of the same name in other directories have folders of their own.
std::string name_on_nodes(const RunPlan& plan) {
  const std::string directory = fs::weakly_canonical(plan.directory()).string();
  return plan.name() + "-" + hex_of(hash_of(directory)).substr(0, 8);
}

/// On every rank alike.
double bytes_of(const CheckpointSubject& subject) {
  double bytes = 0;
  for (const CheckpointArray& array : subject.arrays) bytes += static_cast<double>(array.bytes());
  return bytes;
}

}  // namespace

Saver::Saver(RunPlan& plan, const Engines& engines, StepClock& clock)
    : plan_(plan), engines_(engines), clock_(clock), start_(std::chrono::steady_clock::now()) {}

When* Saver::level(std::size_t n) {
  NodeCheckpoints& nodes = plan_.checkpoint_policy.nodes;
  if (n == shared_level) return plan_.checkpoints ? &*plan_.checkpoints : nullptr;
  if (nodes.folder.empty()) return nullptr;
  return n == 0 ? &nodes.local : n == 1 ? &nodes.copies : &nodes.parity;
}

bool Saver::takes_copies() const {
  const CheckpointPolicy& policy = plan_.checkpoint_policy;
  return policy.background || policy.compress || uses_nodes();
}

void Saver::open_stores(const FileRanks& ranks) {
  const CheckpointPolicy& policy = plan_.checkpoint_policy;
  communicator_ = policy.background ? plan_.communicator()->duplicate() : plan_.communicator();
  const std::string how = communicator_->description();
  const bool is_for_one_thread = how.find("level funneled") != std::string::npos ||
                                 how.find("level single") != std::string::npos;
  require(!policy.background || !is_for_one_thread, "checkpoints in the background are refused",
          how + " serves one thread alone", "start MPI with MPI_THREAD_SERIALIZED");
  FileRanks own = ranks;
  own.communicator = communicator_;
  shared_ = std::make_unique<DirectoryStore>(
      fs::path(plan_.directory()) / "chk",
      DirectoryStoreOptions{.keep = policy.keep, .archive_every = policy.archive_every}, own);
  const NodeCheckpoints& nodes = policy.nodes;
  if (!nodes.folder.empty()) {
    std::vector<Protection> wanted;
    if (!nodes.copies.is_never()) wanted.push_back(Protection::copies);
    if (!nodes.parity.is_never()) wanted.push_back(Protection::parity);
    nodes_ = std::make_unique<NodeStore>(NodeStoreOptions{.folder = nodes.folder,
                                                          .run = name_on_nodes(plan_),
                                                          .keep = policy.keep,
                                                          .group = nodes.group,
                                                          .parity = nodes.lost,
                                                          .parts = {.compress = policy.compress}},
                                         communicator_, wanted);
  }
  if (policy.background) background_ = std::make_unique<BackgroundWork>();
}

bool Saver::restore(const FileRanks& ranks, std::vector<std::string>& unknown,
                    const CheckpointLog& log) {
  if (!plan_.directory().empty()) open_stores(ranks);
  const Restart restart = plan_.restart();
  const bool wanted = restart.from != Restart::From::beginning;
  require(shared_ || !wanted, "a restart needs a directory", "there is nowhere to look",
          "set .directory");
  if (!wanted) return false;
  CheckpointChoice choice;
  if (restart.from == Restart::From::step) choice.step = restart.step;
  std::vector<CheckpointStore*> stores{shared_.get()};
  if (nodes_) stores.insert(stores.begin(), nodes_.get());
  const auto state = load_checkpoint(stores, choice, subject_of(plan_, engines_), log);
  if (!state) {
    log("no checkpoint in " + plan_.directory() + " yet: starting from the beginning");
    return false;
  }
  unknown = restore_state(*state, plan_, engines_, clock_);
  seconds_before_ = state->details.value("seconds", 0.0);
  std::string changes;
  for (const CaseChange& change : changes_since(*state, plan_)) {
    changes += (changes.empty() ? "" : ", ") + change.text();
  }
  if (!changes.empty()) log(fmt::format("the case changes at step {}: {}", clock_.step, changes));
  saved_step_ = clock_.step;
  return true;
}

void Saver::begin(const Clock& now, const CheckpointLog& log) {
  const bool continues = saved_step_ >= 0;
  for (std::size_t n = 0; n < checkpoint_levels.size(); ++n) {
    When* const when = level(n);
    // That of the directory knows from the checkpoint what lies behind.
    if (when != nullptr && !(continues && n == shared_level)) when->skip(now);
  }
  if (!shared_) return;
  count_failures(continues);
  set_intervals();
  agree(*plan_.communicator(), [&] {
    if (nodes_ && plan_.communicator()->rank() == 0) {
      write_node_record(plan_.directory(), nodes_->options());
    }
  });
  std::vector<CheckpointStore*> stores{shared_.get()};
  if (nodes_) stores.push_back(nodes_.get());
  for (CheckpointStore* store : stores) {
    if (continues) {
      store->set_aside_after(saved_step_);
    } else if (const std::string moved = store->set_aside_all(); !moved.empty()) {
      log("checkpoints of an earlier run are now in " + moved);
    }
  }
}

void Saver::count_failures(bool continues) {
  const double given = plan_.checkpoint_policy.mtbf;
  measures_.mtbf = given > 0 ? given : unknown_mtbf;
  measures_.mtbf_source = given > 0 ? "given" : "assumed";
  const std::string count = text_of_first(*plan_.communicator(), [&] {
    return std::to_string(failures_so_far(plan_.directory(), continues));
  });
  const double failures = std::stod(count);
  if (given > 0 || failures == 0 || seconds_before_ == 0) return;
  measures_.mtbf = seconds_before_ / failures;
  measures_.mtbf_source = "measured";
}

/// One that is better protected counts as those below it.
LevelsDue Saver::due(const Clock& now) {
  LevelsDue due;
  if (!shared_) return due;
  const auto is_due = [&](std::size_t n) {
    When* const when = level(n);
    return when != nullptr && when->due(now);
  };
  due.shared = is_due(shared_level);
  due.parity = is_due(2);
  due.copies = is_due(1);
  due.local = is_due(0);
  if ((due.parity || due.copies) && nodes_) plan_.checkpoint_policy.nodes.local.skip(now);
  return due;
}

Index Saver::steps_until_due(const Clock& now, double dt) const {
  Index steps = Trigger::no_limit;
  for (std::size_t n = 0; n < checkpoint_levels.size(); ++n) {
    if (const When* when = level(n)) steps = std::min(steps, when->steps_until_due(now, dt));
  }
  return steps;
}

double Saver::time_until_due(const Clock& now) const {
  double time = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < checkpoint_levels.size(); ++n) {
    if (const When* when = level(n)) time = std::min(time, when->time_until_due(now));
  }
  return time;
}

void Saver::save(const LevelsDue& levels) {
  if (!shared_ || has_saved() || !levels.any()) return;
  double held = 0;
  {
    const Stopwatch watch(held);
    agree(*plan_.communicator(), [&] {
      for (const auto& output : plan_.outputs) output->sync();
    });
    CheckpointState state = state_of(plan_, engines_, clock_);
    state.details["seconds"] = seconds_before_ + seconds_from(start_);
    const CheckpointSubject subject = subject_of(plan_, engines_);
    if (!takes_copies()) {
      shared_->save(subject, state);
    } else {
      const Index number = background_ ? background_->added() : 0;
      StateCopy& copy = copies_[static_cast<std::size_t>(number % 2)];
      if (background_) background_->wait(number - 1);
      Communicator& ranks = *plan_.communicator();
      copy.take(subject, state, ranks.size(), ranks.rank());
      if (background_) {
        background_->add([this, &copy, levels] { write(copy, levels); });
      } else {
        write(copy, levels);
      }
    }
  }
  saved_step_ = clock_.step;
  note_costs(levels, held);
  if (background_) settle(background_->added() - 2);
}

/// In the background, or at once.
void Saver::write(const StateCopy& copy, const LevelsDue& levels) {
  PartSize size;
  double seconds = 0;
  {
    const Stopwatch watch(seconds);
    if (levels.local || levels.copies || levels.parity) {
      nodes_->save(copy,
                   levels.parity   ? Protection::parity
                   : levels.copies ? Protection::copies
                                   : Protection::none,
                   &size);
    }
    if (levels.shared && plan_.checkpoint_policy.compress) {
      shared_->save_parts(copy, {.compress = true}, &size);
    } else if (levels.shared) {
      shared_->save(copy.subject(*communicator_), copy.state());
    }
  }
  const std::lock_guard lock(written_mutex_);
  if (background_) written_.background += seconds;
  written_.longest = std::max(written_.longest, seconds);
  written_.size.values += size.values;
  written_.size.stored += size.stored;
  written_.size.seconds += size.seconds;
}

void Saver::settle(Index finished) {
  if (!background_ || finished <= settled_) return;
  settled_ = finished;
  if (const auto error = background_->take_error(finished)) throw Error(*error);
}

void Saver::finish() {
  if (!background_) return;
  const Stopwatch watch(measures_.held);
  background_->wait(background_->added());
  settle(background_->added());
}

void Saver::note_costs(const LevelsDue& levels, double held) {
  const std::array<bool, 4> due = {levels.local, levels.copies, levels.parity, levels.shared};
  for (std::size_t n = 0; n < due.size(); ++n) measures_.saved[n] += due[n] ? 1 : 0;
  measures_.held += held;
  measures_.longest_held = std::max(measures_.longest_held, held);
  std::array<std::int64_t, 2> nanoseconds{};
  {
    const std::lock_guard lock(written_mutex_);
    nanoseconds = {static_cast<std::int64_t>(held * 1e9),
                   static_cast<std::int64_t>(written_.longest * 1e9)};
  }
  plan_.communicator()->maximum(nanoseconds);
  for (std::size_t n = 0; n < due.size(); ++n) {
    if (!due[n]) continue;
    cost_[n] = 1e-9 * static_cast<double>(nanoseconds[0]);
    busy_[n] = background_ ? 1e-9 * static_cast<double>(nanoseconds[1]) : 0;
  }
  set_intervals();
}

/// By guess until a level was saved once.
void Saver::set_intervals() {
  measures_.waste = 0;
  for (std::size_t n = 0; n < checkpoint_levels.size(); ++n) {
    When* const when = level(n);
    if (when == nullptr || !when->is_automatic()) continue;
    const double guess = bytes_of(subject_of(plan_, engines_)) / guessed_bandwidth;
    const double cost = cost_[n] > 0 ? cost_[n] : guess;
    const double interval = std::max(daly_interval(cost, measures_.mtbf), busy_[n] / most_busy);
    when->set_interval(interval);
    measures_.intervals[n] = interval;
    measures_.waste = std::max(measures_.waste, expected_waste(cost, interval, measures_.mtbf));
  }
}

double Saver::seconds_expected() const {
  if (!shared_) return 0;
  const std::lock_guard lock(written_mutex_);
  const double longest = measures_.longest_held + written_.longest;
  return longest > 0 ? longest : bytes_of(subject_of(plan_, engines_)) / guessed_bandwidth;
}

CheckpointMeasures Saver::measures() const {
  CheckpointMeasures all = measures_;
  const std::lock_guard lock(written_mutex_);
  all.background = written_.background;
  all.values = written_.size.values;
  all.stored = written_.size.stored;
  all.compressing = written_.size.seconds;
  return all;
}

Index Saver::bytes_needed(const RunPlan& plan, const Engines& engines) {
  const CheckpointPolicy& policy = plan.checkpoint_policy;
  const Index copies = policy.background                                 ? 2
                       : policy.compress || !policy.nodes.folder.empty() ? 1
                                                                         : 0;
  if (copies == 0 || plan.directory().empty()) return 0;
  Index bytes = 0;
  for (const LiveField& field : engines.live_fields()) {
    const FieldRecord& record = *field.record;
    const Decomposition& decomposition = domain_of(*field.grid).decomposition();
    const Box own = values_of_rank(decomposition, *field.grid, record, plan.communicator()->rank());
    bytes += own.volume() * record.components * static_cast<Index>(record.element_size());
  }
  for (const auto& output : plan.outputs) bytes += output->bytes_needed();
  return copies * bytes;
}

}  // namespace goban
