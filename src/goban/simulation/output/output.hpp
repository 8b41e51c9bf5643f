#pragma once
// Something a run does now and then: writes a file, adds a row, calls a function.

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/checkpoint/content.hpp"
#include "goban/io/file/array_view.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/io/file/file_ranks.hpp"
#include "goban/io/picture/canvas.hpp"
#include "goban/simulation/any_field.hpp"
#include "goban/simulation/when.hpp"

namespace goban {

struct ParameterRecord;

/// Takes the rows of a series, a number per column, as they are written.
using RowListener = std::function<void(std::span<const double> row)>;

/// Where a run's files go and what is said in them.
struct RunPlace {
  std::filesystem::path directory;
  std::string name;                       ///< the name of the case; file names begin with it
  std::vector<std::string> outputs = {};  ///< names of outputs, with which file names go on
  std::string title;
  std::string case_text;
  std::string length_unit, time_unit;
  std::function<std::vector<Polyline>(Axis axis, double position)> shapes = {};  ///< on pictures
  std::vector<std::pair<std::string, std::string>> provenance;
  FileRanks ranks = {};  ///< who writes whole fields
  bool writes = true;    ///< this rank writes all else; the others have their part in what it reads
  bool can_go_on = true;  ///< from a checkpoint, be it over or not
  /// Says a line that nobody should miss.
  std::function<void(const std::string& line)> say = [](const std::string&) {};
  /// What else takes the rows of a series, if anything does; null: nothing asks.
  std::function<RowListener(const std::string& name, const std::vector<CsvColumn>& columns)>
      follow = {};
  /// What to do where earlier output is gone: throws, or warns and lets the run go on without.
  std::function<void(const Error&)> on_lost = [](const Error& error) { throw error; };
};

/// Values of a field, global indices.
struct SampledBox {
  AnyField field;
  Box box;
};

/// What an output knows when it is asked.
struct Moment {
  Clock clock;
  std::span<const Array> samples = {};  ///< samples of what it samples, part by part, when due
  bool due = false;                     ///< its schedule says so
  bool snapshot = false;                ///< whole fields were written at this step
  bool over = false;                    ///< the run has finished
};

class SimulationOutput {
 public:
  /// `name` identifies it in checkpoints; unique within a simulation.
  SimulationOutput(std::string name, When when) : name_(std::move(name)), when_(std::move(when)) {}
  virtual ~SimulationOutput();

  const std::string& name() const { return name_; }
  void rename(std::string name) { name_ = std::move(name); }
  When& when() { return when_; }
  const When& when() const { return when_; }

  /// Fields it reads; they are kept up to date.
  virtual std::vector<AnyField> fields() const { return {}; }
  /// Parameters it reads, likewise.
  virtual std::vector<std::shared_ptr<const ParameterRecord>> parameters() const { return {}; }
  /// Few values that are all it reads. Where that is at every step, steps that devices have
  /// recorded go on without it: it is told of several of them, one after the other, later.
  virtual std::vector<SampledBox> samples() const { return {}; }
  /// Whether it may read any field.
  virtual bool reads_anything() const { return false; }
  virtual bool makes_files() const { return true; }
  /// Whether it writes whole fields.
  virtual bool is_snapshot() const { return false; }
  /// What it keeps in memory, bytes of this rank.
  virtual Index bytes_needed() const { return 0; }
  /// What one write adds to the disk, about; 0: nothing, or nobody knows.
  virtual double bytes_per_write() const { return 0; }
  /// How often it writes in a run of so many steps.
  virtual Index writes(Index steps, double dt) const { return when_.times_due(steps, dt); }
  /// Whether it acts after all others, and knows whether one of them was a snapshot.
  virtual bool is_last() const { return false; }

  /// Before the first step: begins its files anew or, when a run continues, with what was written
  /// up to step `keep_until`.
  virtual void open(const RunPlace& place, std::optional<Index> keep_until) = 0;
  /// Whether it acts: by default when due, and at the end unless this step has been written
  /// already.
  virtual bool acts_on(const Moment& moment) const {
    return moment.due || (moment.over && when_.is_at_end() && last_ != moment.clock.step);
  }
  /// Writes, on all ranks; files are written by ranks whose place says so.
  virtual void write(const Moment& moment) = 0;
  /// Makes durable what was written: before a checkpoint, which relies on it, and when the run has
  /// finished.
  virtual void sync() {}
  /// Files that are open as long as the run lasts.
  virtual Index open_files() const { return 0; }
  /// What has become NaN or infinite where it was a number before, the same on every rank; empty:
  /// nothing has.
  virtual std::string lost_value() const { return {}; }
  /// Whether it takes numbers that stay what they were when the run began or went on.
  virtual bool conserves() const { return false; }
  /// Checks that these numbers do so; before a save, too. Error (corrupted).
  virtual void check_conserved(Index /*step*/) {}
  /// The files that it has written so far.
  virtual std::vector<std::filesystem::path> files() const { return {}; }
  /// "u, v as VTKHDF"; the schedule is added by others.
  virtual std::string describe() const = 0;

  /// State beyond the schedule and the last step written, for checkpoints.
  virtual std::vector<CheckpointArray> arrays() { return {}; }
  virtual nlohmann::ordered_json state() const;
  virtual void restore(const nlohmann::ordered_json&) {}

  /// The last step that was written; -1 before the first.
  Index last() const { return last_; }
  void set_last(Index step) { last_ = step; }

 private:
  std::string name_;
  When when_;
  Index last_ = -1;
};

/// The values of all cells in `box`, by global index. Collective.
Array values_of(const AnyField& field, const Box& box);
/// The part of a rank in values_of() of others, of which it wants none.
void help_with_values_of(const AnyField& field);

}  // namespace goban
