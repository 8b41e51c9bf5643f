#pragma once
// A run of the benchmark: kernel 1, then search after search, by the rules.

#include <map>
#include <optional>

#include "goban/checkpoint/directory_store.hpp"
#include "goban/simulation/output/output.hpp"
#include "goban/simulation/report/voice.hpp"
#include "goban/simulation/run.hpp"
#include "goban/simulation/run/control.hpp"
#include "goban/simulation/run/status_file.hpp"
#include "graph500/engine.hpp"
#include "graph500/report.hpp"

namespace goban::graph500 {

class Benchmark : public Run {
 public:
  /// `case_text`: the resolved case. Errors (usage): as of make_engine().
  Benchmark(const Model& model, const std::string& case_text, Runtime& runtime);

  void set(const RunRequest& request) override { request_ = request; }
  void check() override;
  RunStatus execute() override;
  std::string dry_run() override;
  std::string describe() override;

  /// What was measured, once it has run.
  const Record& record() const { return record_; }

 private:
  std::string banner() const;
  void begin();
  void make_graph();
  bool restore();
  bool restore_graph();
  void save();
  void save_graph();
  nlohmann::ordered_json details() const;
  bool next_root(Index& root);
  void search(Index root);
  void require_valid(const Verdict& verdict, Index root) const;
  bool is_stopped();
  void finish(bool over);
  void fail(const std::string& why);
  double seconds() const;
  template <class F>
  void on_first(F&& work);

  Model model_;
  std::string case_text_;
  Runtime& runtime_;
  std::shared_ptr<Communicator> ranks_;
  std::unique_ptr<EdgeSource> source_;
  std::unique_ptr<Engine> engine_;
  RunRequest request_;
  RunPlace place_;
  Voice voice_;
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

}  // namespace goban::graph500
