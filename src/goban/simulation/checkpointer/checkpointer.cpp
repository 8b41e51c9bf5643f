#include "goban/simulation/checkpointer/checkpointer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/base/stopwatch.hpp"
#include "goban/checkpoint/compression.hpp"
#include "goban/checkpoint/erasure/galois.hpp"
#include "goban/checkpoint/hash.hpp"
#include "goban/checkpoint/interval.hpp"
#include "goban/io/file/file.hpp"
#include "goban/simulation/case_changes.hpp"
#include "goban/simulation/checkpointer/failure_count.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

constexpr double guessed_bandwidth = 200e6;  // bytes/s, of a machine to a slow disk
constexpr double unknown_mtbf = 86400;       // seconds
/// Writing beside the run may take this share of the time.
constexpr double most_busy = 0.5;
/// The note of what is on nodes need not be the newest.
constexpr auto between_notes = std::chrono::minutes(1);

double seconds_from(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs of the same name in other directories have folders of their own.
std::string name_on_nodes(const RunPlan& plan) {
  const std::string directory = fs::weakly_canonical(plan.directory()).string();
  return plan.name() + "-" + hex_of(hash_of(directory)).substr(0, 8);
}

NodeStoreOptions node_options(const RunPlan& plan) {
  const CheckpointPolicy& policy = plan.checkpoint_policy;
  return {.folder = fs::absolute(policy.nodes.folder).string(),
          .run = name_on_nodes(plan),
          .keep = policy.keep,
          .group = policy.nodes.group,
          .parity = policy.nodes.lost,
          .parts = {.compress = policy.compress}};
}

/// What needs several nodes, and when it is saved.
std::array<std::pair<const When*, Protection>, 2> protections(const NodeCheckpoints& nodes) {
  return {{{&nodes.copies, Protection::copies}, {&nodes.parity, Protection::parity}}};
}

/// The bytes of the state, on every rank alike.
double bytes_of(const CheckpointSubject& subject) {
  double bytes = 0;
  for (const CheckpointArray& array : subject.arrays) bytes += static_cast<double>(array.bytes());
  return bytes;
}

}  // namespace

Checkpointer::Checkpointer(RunPlan& plan, const Engines& engines, StepClock& clock)
    : plan_(plan), engines_(engines), clock_(clock), start_(std::chrono::steady_clock::now()) {}

When* Checkpointer::level(std::size_t n) {
  NodeCheckpoints& nodes = plan_.checkpoint_policy.nodes;
  if (n == shared_level) return plan_.checkpoints ? &*plan_.checkpoints : nullptr;
  if (nodes.folder.empty()) return nullptr;
  return n == 0 ? &nodes.local : n == 1 ? &nodes.copies : &nodes.parity;
}

bool Checkpointer::takes_copies() const {
  const CheckpointPolicy& policy = plan_.checkpoint_policy;
  return policy.background || policy.compress || nodes_;
}

void Checkpointer::check(const RunPlan& plan) {
  if (plan.directory().empty()) return;
  const CheckpointPolicy& policy = plan.checkpoint_policy;
  const std::shared_ptr<Communicator> ranks = plan.communicator();
  const std::string how = ranks->description();
  const bool is_for_one_thread = how.find("level funneled") != std::string::npos ||
                                 how.find("level single") != std::string::npos;
  require(!policy.background || !is_for_one_thread, "checkpoints in the background are refused",
          how + " serves one thread alone", "start MPI with MPI_THREAD_SERIALIZED");
  if (policy.compress) agree(*ranks, [] { require_compression(); });
  if (!policy.nodes.parity.is_never()) agree(*ranks, [] { galois::require_library(); });
  // A run that goes on does so on whatever nodes are left.
  if (policy.nodes.folder.empty() || plan.restart().from != Restart::From::beginning) return;
  const NodeStore nodes(node_options(plan), ranks);
  for (const auto& [when, protection] : protections(policy.nodes)) {
    if (!when->is_never()) nodes.require_nodes_for(protection);
  }
}

void Checkpointer::open_stores(const FileRanks& ranks, const CheckpointLog& log) {
  const CheckpointPolicy& policy = plan_.checkpoint_policy;
  communicator_ = policy.background ? plan_.communicator()->duplicate() : plan_.communicator();
  const fs::path directory = plan_.directory();
  require(!policy.compress || ranks.all_see_files(), "compressed checkpoints are refused",
          "not all machines see " + (directory / "chk").string(), "leave checkpoint.compress out");
  FileRanks own = ranks;
  own.communicator = communicator_;
  own.owned_by = {};  // may change while a thread saves: arrays say so themselves
  shared_ = std::make_unique<DirectoryStore>(
      directory / "chk",
      DirectoryStoreOptions{.keep = policy.keep, .archive_every = policy.archive_every}, own);
  if (!policy.nodes.folder.empty()) {
    nodes_ = std::make_unique<NodeStore>(node_options(plan_), communicator_);
    warn_of_nodes(log);
  }
  on_nodes_ = parse_node_record(text_of_first(*communicator_, [&]() -> std::string {
    const auto record = read_node_record(directory);
    return record ? text_of(*record) : "";
  }));
  if (policy.background) background_ = std::make_unique<BackgroundWork>();
}

void Checkpointer::warn_of_nodes(const CheckpointLog& log) const {
  for (const auto& [when, protection] : protections(plan_.checkpoint_policy.nodes)) {
    if (when->is_never()) continue;
    try {
      nodes_->require_nodes_for(protection);
    } catch (const Error& error) {
      if (nodes_->has_nodes_for(protection)) throw;
      log(fmt::format("warning: {}: saved with what these nodes can have", error.what()));
    }
  }
}

bool Checkpointer::restore(const FileRanks& ranks, std::vector<std::string>& unknown,
                           const CheckpointLog& log) {
  if (!plan_.directory().empty()) {
    open_stores(ranks, log);
    add_file_contents(plan_.options, *plan_.communicator());
  }
  const Restart restart = plan_.restart();
  const bool wanted = restart.from != Restart::From::beginning;
  require(shared_ || !wanted, "there is nothing to go on from", "this run makes no files",
          "give it an output, checkpoint() or a directory");
  if (!wanted) return false;
  CheckpointChoice choice;
  if (restart.from == Restart::From::step) choice.step = restart.step;
  std::vector<CheckpointStore*> stores{shared_.get()};
  std::unique_ptr<NodeStore> noted;  // what the run has saved on nodes, wherever it saves now
  if (on_nodes_) {
    noted = std::make_unique<NodeStore>(
        NodeStoreOptions{
            .folder = on_nodes_->folder, .run = on_nodes_->run, .lineage = on_nodes_->lineage},
        communicator_);
    stores.insert(stores.begin(), noted.get());
  }
  CheckpointStore* from = nullptr;
  const auto state = load_checkpoint(stores, choice, subject_of(plan_, engines_), log, &from);
  const Index saved = on_nodes_ ? on_nodes_->saved.value_or(-1) : -1;
  if (!state && saved >= 0) {
    throw Error(
        ExitCode::no_checkpoint, "cannot go on in " + plan_.directory(),
        fmt::format("the nodes that have step {} in {} are not among these", saved, noted->place()),
        "go on where they are, or begin anew without a restart");
  }
  if (!state) {
    log("no checkpoint in " + plan_.directory() + " yet: starting from the beginning");
    return false;
  }
  if (!choice.step && saved > state->step) {
    log(fmt::format("step {} was saved in {} and is not to be had from these nodes", saved,
                    noted->place()));
  }
  unknown = restore_state(*state, plan_, engines_, clock_);
  seconds_before_ = state->details.value("seconds", 0.0);
  std::string changes;
  for (const CaseChange& change : changes_since(*state, plan_)) {
    changes += (changes.empty() ? "" : ", ") + change.text();
  }
  if (!changes.empty()) log(fmt::format("the case changes at step {}: {}", clock_.step, changes));
  restored_ = clock_.step;
  const bool is_shared = from == shared_.get();
  record_.begin_from(is_shared ? shared_level : 0, clock_.step);
  if (!is_shared) on_nodes_->saved = restored_;
  if (is_shared && saved > clock_.step) on_nodes_->saved.reset();
  return true;
}

void Checkpointer::begin(const Clock& now, const CheckpointLog& log) {
  for (std::size_t n = 0; n < checkpoint_levels.size(); ++n) {
    When* const when = level(n);
    // That of the directory knows from the checkpoint what lies behind.
    if (when != nullptr && !(restored_ && n == shared_level)) when->skip(now);
  }
  if (!shared_) return;
  const CheckpointSubject subject = subject_of(plan_, engines_);
  guess_ = bytes_of(subject) / guessed_bandwidth / static_cast<double>(shared_->writers());
  const Communicator& ranks = *plan_.communicator();
  if (background_) {
    for (StateCopy& copy : copies_) copy.reserve(subject, ranks.size(), ranks.rank());
  }
  count_failures(restored_.has_value());
  set_intervals();
  begin_life(log);
  if (restored_) {
    shared_->set_aside_after(*restored_);
  } else if (const std::string moved = shared_->set_aside_all(); !moved.empty()) {
    log("checkpoints of an earlier run are now in " + moved);
  }
}

/// What is saved from now on is told from what earlier lives of the run have left on nodes.
void Checkpointer::begin_life(const CheckpointLog& log) {
  if (!restored_ && on_nodes_) {
    if (on_nodes_->saved) {
      log("checkpoints of an earlier run stay in " +
          (fs::path(on_nodes_->folder) / on_nodes_->folder_name()).string());
    }
    on_nodes_.reset();
  }
  const Index from = on_nodes_ ? *restored_ : -1;
  if (nodes_ && !on_nodes_) on_nodes_ = {nodes_->options().folder, nodes_->options().run, {}, {}};
  if (on_nodes_) {
    on_nodes_->lineage.add(text_of_first(*plan_.communicator(), [] { return new_life_id(); }),
                           from);
  }
  if (nodes_) nodes_->begin_life(on_nodes_->lineage);
  agree(*plan_.communicator(), [&] {
    if (plan_.communicator()->rank() != 0) return;
    if (on_nodes_) return write_node_record(plan_.directory(), *on_nodes_);
    std::error_code ignored;
    fs::remove(fs::path(plan_.directory()) / node_record, ignored);
  });
}

/// The directory of the first rank says so, so that a restart on other nodes misses what is not
/// there.
void Checkpointer::note_on_nodes(Index step) {
  agree(*communicator_, [&] {
    if (communicator_->rank() != 0) return;
    const auto now = std::chrono::steady_clock::now();
    const NodeStoreOptions& here = nodes_->options();
    const bool is_there =
        on_nodes_->saved && on_nodes_->folder == here.folder && on_nodes_->run == here.run;
    if (is_there && now - noted_ < between_notes) return;
    noted_ = now;
    on_nodes_->folder = here.folder;
    on_nodes_->run = here.run;
    on_nodes_->saved = step;
    write_node_record(plan_.directory(), *on_nodes_);
  });
}

void Checkpointer::count_failures(bool continues) {
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

/// The levels that are due; a checkpoint that is better protected counts as those below it.
LevelsDue Checkpointer::due(const Clock& now) {
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
  if (due.on_nodes() && !nodes_->has_nodes_for(Protection::copies)) {
    due = {.local = true, .shared = due.shared};
  }
  return due;
}

Index Checkpointer::steps_until_due(const Clock& now, double dt) const {
  Index steps = Trigger::no_limit;
  for (std::size_t n = 0; n < checkpoint_levels.size(); ++n) {
    if (const When* when = level(n)) steps = std::min(steps, when->steps_until_due(now, dt));
  }
  return steps;
}

double Checkpointer::time_until_due(const Clock& now) const {
  double time = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < checkpoint_levels.size(); ++n) {
    if (const When* when = level(n)) time = std::min(time, when->time_until_due(now));
  }
  return time;
}

std::vector<Error> Checkpointer::save(const LevelsDue& due) {
  LevelsDue levels = due;
  levels.shared &= !has_saved();
  if (!nodes_ || record_.has_on_nodes(clock_.step)) levels = {.shared = levels.shared};
  if (!shared_ || !levels.any()) return {};
  const Index number = saves_;  // until it has begun: outputs may fail before
  double held = 0, copying = 0;
  {
    const Stopwatch watch(held);
    std::optional<Stopwatch> before(std::in_place, copying);
    agree(*plan_.communicator(), [&] {
      for (const auto& output : plan_.outputs) output->sync();
    });
    CheckpointState state = state_of(plan_, engines_, clock_);
    state.details["seconds"] = seconds_before_ + seconds_from(start_);
    const CheckpointSubject subject = subject_of(plan_, engines_);
    StateCopy& copy = copies_[static_cast<std::size_t>(background_ ? number % 2 : 0)];
    if (background_) background_->wait(number - 1);
    if (takes_copies()) {
      Communicator& ranks = *plan_.communicator();
      copy.take(subject, state, ranks.size(), ranks.rank());
    }
    before.reset();
    ++saves_;
    if (background_) {
      background_->add([this, number, &copy, levels] { write(number, copy, levels); });
    } else if (takes_copies()) {
      write(number, copy, levels);
    } else {
      attempt(number, shared_level, state.step, [&] { shared_->save(subject, state); });
    }
  }
  note_costs(levels, held, copying);
  return background_ ? std::vector<Error>{} : settle(number + 1);
}

/// Whether the next level is worth trying.
bool Checkpointer::attempt(Index number, std::size_t level, Index step,
                           const std::function<void()>& work) {
  double seconds = 0;
  try {
    {
      const Stopwatch watch(seconds);
      work();
    }
    record_.add(level, step, seconds);
    return true;
  } catch (const std::exception&) {
    const Error error = as_error(std::current_exception());
    record_.fail(number, error);
    return error.code() == ExitCode::files;
  }
}

/// Writes a checkpoint, in the background or at once.
void Checkpointer::write(Index number, const StateCopy& copy, const LevelsDue& levels) {
  const Index step = copy.state().step;
  PartSize size;
  bool goes_on = true;
  if (levels.on_nodes()) {
    goes_on = attempt(number, levels.node_level(), step, [&] {
      nodes_->save(copy, static_cast<Protection>(levels.node_level()), &size);
      note_on_nodes(step);
    });
  }
  if (levels.shared && goes_on) {
    attempt(number, shared_level, step, [&] {
      if (plan_.checkpoint_policy.compress) {
        shared_->save_parts(copy, {.compress = true}, &size);
      } else {
        shared_->save(copy.subject(*communicator_), copy.state());
      }
    });
  }
  record_.add_size(size);
}

std::vector<Error> Checkpointer::settle(Index finished) {
  settled_ = std::max(settled_, finished);
  return record_.take_errors(settled_);
}

std::vector<Error> Checkpointer::finish() {
  if (background_) {
    const Stopwatch watch(measures_.held);
    background_->wait(saves_);
  }
  return settle(saves_);
}

/// What the levels of this save have cost, and in the background what earlier saves have.
void Checkpointer::note_costs(const LevelsDue& levels, double held, double copying) {
  measures_.held += held;
  measures_.longest_held = std::max(measures_.longest_held, held);
  measures_.last_held = held;
  std::array<std::int64_t, 5> nanoseconds{};
  for (std::size_t n = 0; n < cost_.size(); ++n) {
    nanoseconds[n] = static_cast<std::int64_t>(record_.level(n).seconds * 1e9);
  }
  nanoseconds.back() = static_cast<std::int64_t>(copying * 1e9);
  plan_.communicator()->maximum(nanoseconds);
  copying_ = 1e-9 * static_cast<double>(nanoseconds.back());
  for (std::size_t n = 0; n < cost_.size(); ++n) {
    const double work = 1e-9 * static_cast<double>(nanoseconds[n]);
    if (background_) busy_[n] = work;
    const bool is_saved =
        n == shared_level ? levels.shared : levels.on_nodes() && n == levels.node_level();
    if (is_saved) cost_[n] = copying_ + (background_ ? 0 : work);
  }
  set_intervals();
}

/// Sets the intervals, by guess until a level was saved once.
void Checkpointer::set_intervals() {
  measures_.waste = 0;
  for (std::size_t n = 0; n < checkpoint_levels.size(); ++n) {
    When* const when = level(n);
    if (when == nullptr || !when->is_automatic()) continue;
    const double cost = cost_[n] > 0 ? cost_[n] : guess_;
    const double interval = std::max(daly_interval(cost, measures_.mtbf), busy_[n] / most_busy);
    when->set_interval(interval);
    measures_.intervals[n] = interval;
    measures_.waste = std::max(measures_.waste, expected_waste(cost, interval, measures_.mtbf));
  }
}

/// The seconds that a checkpoint will take, with what is under way.
double Checkpointer::seconds_expected() const {
  const SaveRecord::Level shared = record_.level(shared_level);
  double seconds = copying_ + (shared.count > 0 ? shared.longest : guess_);
  if (!background_) return seconds;
  const auto waiting = static_cast<double>(saves_ - background_->finished());
  for (std::size_t n = 0; n < cost_.size(); ++n) seconds += waiting * record_.level(n).longest;
  return seconds;
}

CheckpointMeasures Checkpointer::measures() const {
  CheckpointMeasures all = measures_;
  record_.complete(all);
  if (!background_) all.background = 0;
  return all;
}

}  // namespace goban
