#include "graph500/benchmark.hpp"

#include <fmt/format.h>
#include <map>
#include <optional>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "goban/base/agreement.hpp"
#include "goban/base/build_info.hpp"
#include "goban/checkpoint/directory_store.hpp"
#include "goban/checkpoint/inventory.hpp"
#include "goban/domain/watch/watch.hpp"
#include "goban/io/file/file.hpp"
#include "goban/performance/measure/machine.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/case_changes.hpp"
#include "goban/simulation/output/output.hpp"
#include "goban/simulation/report/run_files.hpp"
#include "goban/simulation/report/run_log.hpp"
#include "goban/simulation/run.hpp"
#include "goban/simulation/run/control.hpp"
#include "goban/simulation/run/status_file.hpp"
#include "graph500/engine.hpp"
#include "graph500/report.hpp"

namespace goban::graph500 {
namespace {

using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

/// Seconds of the slowest rank, all of which begin together.
template <class F>
double timed(Communicator& ranks, const F& f) {
  ranks.barrier();
  const auto start = steady_clock::now();
  f();
  std::array<std::int64_t, 1> nanoseconds{static_cast<std::int64_t>(seconds_since(start) * 1e9)};
  ranks.maximum(nanoseconds);
  return static_cast<double>(nanoseconds[0]) * 1e-9;
}

/// Checkpoints are numbered by searches; the one before all searches has the graph.
constexpr Index graph_step = 0;

CheckpointSubject subject_of(const Record& record) {
  CheckpointSubject subject;
  subject.program = "graph500";
  subject.cells = {record.vertices, record.edges, 1};
  return subject;
}

class Benchmark : public Run {
 public:
  /// `case_text`: the resolved case. Errors (usage): as of make_engine().
  Benchmark(const Model& model, const std::string& case_text, Runtime& runtime)
      : model_(model),
        case_text_(case_text),
        runtime_(runtime),
        ranks_(runtime.communicator()),
        source_(model.source()),
        engine_(make_engine(model_, *source_, runtime)),
        run_log_(true, ranks_->rank() == 0),
        start_(steady_clock::now()) {
    record_.vertices = source_->vertices();
    record_.edges = source_->edges();
    if (model.generator == "file")
      model_.edge_factor =
          static_cast<int>((record_.edges + record_.vertices - 1) / record_.vertices);
    for (const Index root : model.roots) {
      require(root < record_.vertices, fmt::format("search.roots: {} is refused", root),
              fmt::format("there are {} vertices", record_.vertices), "they are counted from 0");
    }
    require(!model.trees || record_.vertices <= Index{1} << 31, "output.trees is refused",
            "files hold parents of at most 2^31 vertices", "leave it out");
  }

  void set(const RunRequest& request) override { request_ = request; }
  void check() override {
    const MemoryNeed need = engine_->need(record_.vertices, record_.edges);
    std::array<std::int64_t, 1> fits{need.fits() ? 1 : 0};
    ranks_->minimum(fits);
    if (fits[0] != 0) return;
    std::string advice = "take a smaller graph, or more machines";
    for (int scale = model_.scale - 1; model_.scale > 0 && scale > 0; --scale) {
      const Index vertices = Index{1} << scale;
      if (!engine_->need(vertices, vertices * model_.edge_factor).fits()) continue;
      advice = fmt::format("scale {} is the largest that fits", scale);
      break;
    }
    const bool is_host = need.host > need.host_available;
    throw Error(
        ExitCode::resources, "the graph does not fit into memory",
        fmt::format("{} needed, {} available{}", byte_text(is_host ? need.host : need.device),
                    byte_text(is_host ? need.host_available : need.device_available),
                    is_host ? "" : " on GPUs"),
        advice);
  }
  RunStatus execute() override {
    start_ = steady_clock::now();
    try {
      begin();
      make_graph();
      const Index keys =
          model_.roots.empty() ? model_.keys : static_cast<Index>(model_.roots.size());
      const auto done = [&] { return static_cast<Index>(record_.searches.size()); };
      run_log_.begin_progress({.first_step = done(), .steps = keys});
      Index root = 0;
      while (done() < keys && !is_stopped() && next_root(root)) {
        search(root);
        run_log_.update(done(), static_cast<double>(done()), seconds());
        if (status_) status_->show_life();
      }
      const bool over = stop_reason_.empty();
      run_log_.end_progress(done(), static_cast<double>(done()), seconds(), over);
      if (!over) save();
      finish(over);
      return over ? RunStatus::finished : RunStatus::stopped;
    } catch (const std::exception& error) {
      fail(error.what());
      throw;
    }
  }
  std::string dry_run() override {
    const std::string text = banner();
    check();
    return text;
  }
  std::string describe() override {
    return fmt::format(
        "{}, by {}\n"
        "top-down to bottom-up where the frontier has more edges than those of unvisited vertices "
        "/ "
        "{:g}, back where it has fewer vertices than all / {:g}\n",
        source_->description(), engine_->description(), model_.rule.alpha, model_.rule.beta);
  }

 private:
  std::string banner() const {
    std::string text = fmt::format("goban {}  graph500{}\n", build_info().version,
                                   model_.title.empty() ? "" : ": " + model_.title);
    const auto line = [&text](const char* name, const std::string& value) {
      text += fmt::format("  {:<10}  {}\n", name, value);
    };
    line("case", model_.name);
    line("graph", source_->description());
    line("machine", fmt::format("{}, {}", inspect_machine().processor, engine_->description()));
    const MemoryNeed need = engine_->need(record_.vertices, record_.edges);
    line("memory", fmt::format("{} needed, {} available", byte_text(need.host),
                               byte_text(need.host_available)));
    if (need.device > 0) {
      line("", fmt::format("{} needed on GPUs, {} available", byte_text(need.device),
                           byte_text(need.device_available)));
    }
    const Index keys = model_.roots.empty() ? model_.keys : static_cast<Index>(model_.roots.size());
    line("searches", fmt::format("{}, {}{}", keys,
                                 model_.validation == Validation::every   ? "every one validated"
                                 : model_.validation == Validation::first ? "the first validated"
                                                                          : "none validated",
                                 model_.paths ? ", shortest paths too" : ""));
    if (!request_.directory.empty()) line("files", request_.directory);
    return text;
  }
  void begin() {
    place_.directory = request_.directory;
    place_.name = model_.name;
    place_.title = model_.title;
    place_.case_text = case_text_;
    place_.provenance = {
        {"goban", fmt::format("{} ({})", build_info().version, build_info().commit)},
        {"compiler", std::string(build_info().compiler)},
        {"processor", inspect_machine().processor}};
    const bool is_first = ranks_->rank() == 0;
    on_first([&] {
      make_directory(place_.directory);
      control_.emplace(place_.directory, request_.started, request_.max_time);
    });
    if (!is_first && SignalWatch::is_free()) control_.emplace();
    run_log_.print(banner());
    check();
    DirectoryStoreOptions options;
    options.archive_every = std::numeric_limits<Index>::max();  // the graph, of step 0, stays
    store_ = std::make_unique<DirectoryStore>(place_.directory / "chk", options,
                                              writers_of_machines(ranks_, place_.directory));
    if (!model_.file.empty()) {
      content_of_file_ = text_of_first(*ranks_, [&] { return hash_of_content(model_.file); });
    }
    const bool restarts = restore();
    if (!restarts) store_->set_aside_all();
    const auto done = static_cast<Index>(record_.searches.size());
    on_first([&] { write_run_record(place_, {}, restarts ? std::optional(done) : std::nullopt); });
    const auto writer = is_first              ? StatusFile::Writer::first
                        : ranks_->rank() == 1 ? StatusFile::Writer::deputy
                                              : StatusFile::Writer::none;
    agree(*ranks_, [&] {
      status_.emplace(place_.directory, writer, "--restart",
                      control_ ? &control_->signals() : nullptr);
    });
  }
  void make_graph() {
    record_.generation = timed(*ranks_, [&] { engine_->generate(); });
    if (restore_graph()) return;
    record_.construction = timed(*ranks_, [&] { engine_->construct(); });
    run_log_.say(fmt::format("generated in {:.3g} s, kernel 1 in {:.3g} s", record_.generation,
                             record_.construction));
    if (model_.saves_graph) save_graph();
  }
  bool restore() {
    if (request_.restart.from == Restart::From::beginning) return false;
    CheckpointChoice choice;
    if (request_.restart.from == Restart::From::step) choice.step = request_.restart.step;
    CheckpointSubject subject = subject_of(record_);
    subject.accept = [&](const CheckpointState& state) {
      const std::string content = state.details.value("content", content_of_file_);
      const bool is_same = state.details.at("case") == case_text_ && content == content_of_file_;
      require(request_.allow_changes || is_same, "the restart is refused",
              "the case, or the file it names, has changed since the checkpoint",
              "add --allow-changes, or begin anew");
      return false;
    };
    const auto state = load_checkpoint({store_.get()}, choice, subject,
                                       [&](const std::string& line) { run_log_.say(line); });
    if (!state) return false;
    record_ = record_from(state->details.at("record"));
    drawn_ = state->details.at("drawn");
    if (state->details.contains("graph")) saved_graph_ = shape_from(state->details.at("graph"));
    store_->set_aside_after(state->step);
    return true;
  }
  /// False: it is to be made anew.
  bool restore_graph() {
    if (!saved_graph_) return false;
    const GraphShape shape = *std::exchange(saved_graph_, std::nullopt);
    if (!engine_->make_room(shape)) {
      run_log_.say(
          fmt::format("the graph of the checkpoint has {} parts in {} rows{}: it is made anew",
                      shape.parts, shape.rows, shape.has_weights ? " and weights" : ""));
      return false;
    }
    CheckpointSubject subject = subject_of(record_);
    subject.arrays = graph_arrays(*engine_, shape, *ranks_);
    for (CheckpointArray& array : subject.arrays) array.optional = false;
    const CheckpointEntry entry{graph_step, place_.directory / "chk" / checkpoint_name(graph_step)};
    double seconds = 0;
    try {
      seconds = timed(*ranks_, [&] {
        store_->restore(entry, subject, [](const std::string&) {});
        engine_->adopt();
      });
    } catch (const Error& error) {
      if (error.code() != ExitCode::no_checkpoint) throw;
      run_log_.say(fmt::format("the graph of the checkpoint is refused ({}): it is made anew",
                               error.what()));
      return false;
    }
    run_log_.say(fmt::format("the graph read from {} in {:.3g} s", entry.path.string(), seconds));
    saved_graph_ = shape;
    return true;
  }
  /// What has been searched. Without its graph a restart makes it anew, edge by edge the same.
  void save() {
    const auto done = static_cast<Index>(record_.searches.size());
    const bool has_graph = done == graph_step && saved_graph_;
    if (!has_graph) store_->save(subject_of(record_), {.step = done, .details = details()});
    saved_at_ = seconds();
  }
  void save_graph() {
    saved_graph_ = engine_->shape();
    CheckpointSubject subject = subject_of(record_);
    subject.arrays = graph_arrays(*engine_, *saved_graph_, *ranks_);
    const double seconds =
        timed(*ranks_, [&] { store_->save(subject, {.step = graph_step, .details = details()}); });
    Index bytes = 0;
    for (const CheckpointArray& array : subject.arrays) bytes += array.bytes();
    run_log_.say(fmt::format("the graph saved, {} in {:.3g} s", byte_text(bytes), seconds));
  }
  nlohmann::ordered_json details() const {
    nlohmann::ordered_json details = {{"case", case_text_},
                                      {"content", content_of_file_},
                                      {"drawn", drawn_},
                                      {"record", to_json(record_)}};
    if (saved_graph_) details["graph"] = to_json(*saved_graph_);
    return details;
  }
  /// The next key that is not isolated and has not come before; false: there is none.
  bool next_root(Index& root) {
    const auto is_new = [&] {
      return std::none_of(record_.searches.begin(), record_.searches.end(),
                          [&](const Searched& search) { return search.root == root; });
    };
    if (!model_.roots.empty()) {
      root = model_.roots[record_.searches.size()];
      if (engine_->is_isolated(root)) {
        throw Error(ExitCode::usage, fmt::format("search.roots: {} is refused", root),
                    "no edge leads from it", "search from another vertex");
      }
      return true;
    }
    while (drawn_ < 2 * record_.vertices + 64) {
      root = source_->draw_key(drawn_++);
      if (!engine_->is_isolated(root) && is_new()) return true;
    }
    run_log_.say(fmt::format("there are no more than {} search keys", record_.searches.size()));
    return false;
  }
  void search(Index root) {
    const bool is_first = record_.searches.empty();
    // The first one of a process also brings programs and memory to where they are used.
    if (!is_warm_) engine_->search(root);
    Searched searched;
    searched.root = root;
    searched.seconds = timed(*ranks_, [&] { engine_->search(root); });
    searched.levels = engine_->levels();
    searched.vertices = 1;
    for (const Level& level : searched.levels) searched.vertices += level.found;
    const bool validates = model_.validation == Validation::every ||
                           (model_.validation == Validation::first && is_first);
    if (validates) {
      Verdict verdict;
      searched.validation = timed(*ranks_, [&] { verdict = engine_->validate(root); });
      require_valid(verdict, root);
      searched.edges = verdict.edges;
    } else if (!is_first && record_.searches.front().vertices == searched.vertices) {
      searched.edges = record_.searches.front().edges;  // of the same component
    }
    if (model_.trees) {
      const std::vector<Index> parents = engine_->parents();
      on_first([&] {
        std::vector<std::int32_t> level;
        find_levels(parents, root, level, runtime_.team());
        for (const std::string& name : write_tree(place_.directory, model_, root, parents, level)) {
          record_.files.push_back(name);
        }
      });
    }
    if (model_.paths) {
      if (!is_warm_) engine_->find_paths(root);
      searched.path_seconds = timed(*ranks_, [&] { engine_->find_paths(root); });
      if (validates) {
        Verdict verdict;
        searched.path_validation = timed(*ranks_, [&] { verdict = engine_->validate_paths(root); });
        require_valid(verdict, root);
        searched.path_checksum = checksum_of(engine_->parents(), engine_->distances());
      }
    }
    is_warm_ = true;
    longest_search_ =
        std::max(longest_search_, searched.seconds + std::max(0.0, searched.validation));
    record_.searches.push_back(std::move(searched));
  }
  void require_valid(const Verdict& verdict, Index root) const {
    if (!verdict.broken) return;
    throw Error(ExitCode::diverged, fmt::format("the search from {} is wrong", root),
                fmt::format("{}, at vertex {}", name_of(*verdict.broken), verdict.vertex),
                "please report it with the case file");
  }
  bool is_stopped() {
    std::array<std::int64_t, 2> wishes{0, 0};
    if (control_) {
      const Control::Wishes here = control_->poll(2 * longest_search_ + 1);
      wishes = {static_cast<std::int64_t>(here.stop), here.checkpoint ? 2 : 0};
    }
    const bool is_due = ranks_->rank() == 0 && seconds() - saved_at_ >= model_.save_every;
    if (is_due) wishes[1] = std::max<std::int64_t>(wishes[1], 1);
    ranks_->maximum(wishes);
    stop_reason_ = Control::name_of(static_cast<Control::Stop>(wishes[0]));
    if (!stop_reason_.empty()) return true;
    if (wishes[1] != 0) save();
    if (wishes[1] == 2) {
      run_log_.say(fmt::format("checkpoint of {} searches saved", record_.searches.size()));
    }
    return false;
  }
  void finish(bool over) {
    const auto done = record_.searches.size();
    std::vector<std::string> files = record_.files;
    if (over) {
      on_first([&] {
        for (std::string& name : write_files(place_.directory, record_, model_, ranks_->size())) {
          files.push_back(std::move(name));
        }
      });
    }
    const auto& nodes = ranks_->nodes();
    nlohmann::ordered_json summary = {
        {"goban", fmt::format("{} ({})", build_info().version, build_info().commit)},
        {"app", "graph500"},
        {"case", model_.name},
        {"graph", source_->description()},
        {"wall_seconds", seconds()},
        {"devices", {fmt::format("{}, {}", inspect_machine().processor, engine_->description())}},
        {"ranks", ranks_->size()},
        {"machines", 1 + *std::max_element(nodes.begin(), nodes.end())},
        {"steps", done},
        {"checksum", {{"levels", fmt::format("{:016x}", checksum_of(record_))}}},
        {"results", results_of(record_, model_)},
        {"outputs", files},
        {"ended_by", over ? "searches" : stop_reason_}};
    if (model_.paths) {
      summary["checksum"]["paths"] = fmt::format("{:016x}", path_checksum_of(record_));
    }
    status_->close();
    on_first([&] {
      write_summary(place_.directory, request_.summary, summary);
      status_->write(over ? "finished"
                          : fmt::format("stopped: {} after {} searches, go on with --restart",
                                        stop_reason_, done));
    });
    if (!over) Watch::note_stopped();
    run_log_.print(report_text(record_, model_));
    if (!over) {
      run_log_.say(fmt::format("{}: {} searches saved, go on with --restart", stop_reason_, done));
    }
  }
  void fail(const std::string& why) {
    if (!status_) return;
    status_->close();
    try {
      status_->write("failed: " + why);
    } catch (const std::exception&) {
      // The error that brought us here is the one to report.
    }
  }
  double seconds() const { return seconds_since(start_); }
  template <class F>
  void on_first(F&& work) {
    agree(*ranks_, [&] {
      if (ranks_->rank() == 0) work();
    });
  }

  Model model_;
  std::string case_text_, content_of_file_;
  Runtime& runtime_;
  std::shared_ptr<Communicator> ranks_;
  std::unique_ptr<EdgeSource> source_;
  std::unique_ptr<Engine> engine_;
  RunRequest request_;
  RunPlace place_;
  RunLog run_log_;
  std::optional<Control> control_;
  std::optional<StatusFile> status_;
  std::unique_ptr<DirectoryStore> store_;
  std::chrono::steady_clock::time_point start_;
  Index drawn_ = 0;                        ///< search keys, isolated ones and repeated ones too
  bool is_warm_ = false;                   ///< all has been computed once
  double saved_at_ = 0;                    ///< when the last checkpoint was, seconds from the start
  std::optional<GraphShape> saved_graph_;  ///< what the checkpoint of kernel 1 has
  std::string stop_reason_;
  double longest_search_ = 0;
  Record record_;
};

}  // namespace

std::unique_ptr<Run> benchmark(const Model& model, const std::string& case_text, Runtime& runtime) {
  return std::make_unique<Benchmark>(model, case_text, runtime);
}

}  // namespace goban::graph500
