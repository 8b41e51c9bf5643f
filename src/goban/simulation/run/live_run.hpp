#pragma once
// The live page of a run: tells it what happens, and does what viewers ask for.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "goban/simulation/live/live_server.hpp"
#include "goban/simulation/output/output.hpp"
#include "goban/simulation/plan/engines.hpp"
#include "goban/simulation/plan/run_plan.hpp"
#include "goban/simulation/report/progress_meter.hpp"

namespace goban {

/// There is one on every rank; the first serves the page. Without viewers nothing is computed or
/// read for it: lines and rows that the run has anyway are kept. Planes take at most one part in a
/// hundred of the time of the run, unless it is paused.
class LiveRun {
 public:
  /// What viewers want at a step, on the first rank; no bit elsewhere. All ranks learn of it.
  enum Wish : std::int64_t { slice = 1, picture = 2, pause = 4, checkpoint = 8, stop = 16 };

  LiveRun(const RunPlan& plan, Engines& engines, const StepClock& clock, bool is_first);

  /// Serves the page. `about`: text of many lines that says how the run is set up. Errors: as of
  /// serve_live(). On the first rank alone.
  void serve(const LiveAddress& address, const std::string& about);
  std::string url() const { return server_ ? server_->url() : ""; }
  void begin_progress(const ProgressPlan& plan) { meter_.emplace(plan); }

  void say(const std::string& line) {
    if (board_) board_->add_line(line);
  }
  /// What takes the rows of a series; null on other ranks than the first.
  RowListener follow(const std::string& series, const std::vector<CsvColumn>& columns);

  std::int64_t wishes() const;
  /// The bits that were taken care of elsewhere.
  void take_checkpoint() {
    if (board_) board_->take_checkpoint();
  }
  /// Reads the plane or draws the picture that is wanted. Collective. Error (files).
  void fulfil(std::int64_t wishes, const Clock& now, const RunPlace& place);
  /// Tells how far the run is, some times a second and only to viewers.
  void show(const Clock& now, const std::string& status, bool at_once = false);

 private:
  struct Wished {
    AnyField field;
    SliceWish exactly;
    SliceWish as_sent;
  };
  void find_fields();
  std::string facts(const std::string& about) const;
  std::optional<Wished> agree_on(const std::optional<SliceWish>& wish) const;
  void read_slice(const Clock& now);
  void draw_picture(const Clock& now, const RunPlace& place);

  const RunPlan& plan_;
  Engines& engines_;
  const StepClock& clock_;
  bool is_first_;
  std::vector<AnyField> fields_;
  std::unique_ptr<LiveBoard> board_;
  std::unique_ptr<LiveServer> server_;  ///< before the board is gone it is
  std::optional<ProgressMeter> meter_;
  double next_slice_ = 0;  ///< seconds of the clock's wall time
  double shown_ = -1;      ///< likewise, when progress was last told
};

}  // namespace goban
