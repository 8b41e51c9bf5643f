#pragma once
// What a simulation is told beside its grid and its program.

#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "goban/grid/grid.hpp"
#include "goban/io/picture/canvas.hpp"
#include "goban/io/picture/colormap.hpp"
#include "goban/program/parameter.hpp"
#include "goban/simulation/any_field.hpp"
#include "goban/simulation/restart.hpp"
#include "goban/simulation/when.hpp"

namespace goban {

/// Simulated time per step: a number, or a parameter that the program or the user sets.
struct TimeStep {
  double value = 1;
  std::shared_ptr<ParameterRecord> parameter;

  TimeStep(double dt = 1) : value(dt) {}  // NOLINT: `.dt = 0.1` is the idiom
  template <class T>
  TimeStep(const Parameter<T>& dt) : parameter(dt.record()) {}  // NOLINT

  double current() const { return parameter ? parameter->value : value; }
};

/// What happens when a file cannot be written (disk full, ...).
enum class FileTrouble {
  stop,  ///< the run ends with ExitCode::files; earlier checkpoints stay good
  warn   ///< a line says so, that piece of output is missing, the run goes on
};

struct SimulationOptions {
  Index steps = -1;  ///< ends when this many are done since the very beginning; negative: no limit
  double end = std::numeric_limits<double>::infinity();  ///< ends when this time is simulated
  TimeStep dt = 1.0;
  /// Set before every step to the simulated time until the next moment of a schedule or the end, so
  /// that the program can shorten its own dt to meet it: dt = min(dt, dt_limit). The run then takes
  /// one step at a time.
  std::optional<Parameter<double>> dt_limit = {};

  std::string directory = {};  ///< holds all files; empty: out/<name>, made only if there are any
  std::string name = {};       ///< stands in file names; empty: the program's name
  std::string app = {};        ///< for the summary; empty: the program's name
  std::string title = {};      ///< for the banner and pictures
  std::string case_text = {};  ///< the resolved case, kept in run.toml and in every snapshot
  /// Every key of the case and its value: what a restart must agree with (allow_changes). Programs
  /// of their own may name here what their results depend on: {{"kappa", "1e-4"}}.
  std::vector<std::pair<std::string, std::string>> case_values = {};
  /// Files, by the keys that name them, whose content a restart must agree with, too.
  std::vector<std::pair<std::string, std::filesystem::path>> case_files = {};
  std::string summary = {};                      ///< a second place for summary.json; empty: none
  std::string length_unit = {}, time_unit = {};  ///< for headings
  /// Closed lines in a plane across an axis, in the grid's unit of length, that pictures of it show
  /// filled, as bodies; all ranks call it.
  std::function<std::vector<Polyline>(Axis axis, double position)> shapes = {};

  Restart restart = {};  ///< --goban-restart, where it was given, has the last word
  /// A page in a browser that shows the run: "auto" (any free port of 127.0.0.1), a port, or the
  /// path of a Unix socket, with a slash; empty: none. --goban-live has the last word.
  std::string live = {};
  /// A restart may go on with another case or another time step, from the fields as they were saved
  /// but for those that no step writes. What changed is said and recorded in run.toml. Without it
  /// such a restart is refused.
  bool allow_changes = false;
  double max_time = std::numeric_limits<double>::infinity();  ///< seconds from `started`
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  /// Steps between looks for NaN and infinity; 0: only before fields are saved, and at the end.
  Index nan_check = 100;
  /// What to try when fields hold NaN or infinity; said with the error.
  std::string advice_on_divergence =
      "try a smaller time step, or look at the fields before that step";
  FileTrouble file_trouble = FileTrouble::stop;
  /// The copy bandwidth, for reports: on CPUs where fields do not fit into the caches and the run
  /// takes ten seconds or more. Takes about a second.
  bool measure_bandwidth = true;
};

struct OutputOptions {
  std::string name = {};  ///< in file names; empty: the names of the fields
};

struct PictureOptions {
  Axis axis = Axis::z;                  ///< normal of the slice
  std::optional<double> position = {};  ///< coordinate on the axis; the middle if not given
  std::optional<Index> index = {};      ///< layer of cells, instead of a position
  int component = 0;
  bool magnitude = false;  ///< shows that of all components, instead of one
  std::optional<std::pair<double, double>> range = {};
  bool one_range = true;  ///< for all pictures, if none is given; otherwise each has its own
  std::optional<Colormap> colors = {};
  std::optional<AnyField> outline = {};   ///< lines where this field changes
  std::optional<AnyField> mask = {};      ///< cells in which this field is not 0 are grey: bodies
  std::optional<double> mask_value = {};  ///< cells in which the mask has this value instead
  PictureFormat format = PictureFormat::png;
  double vertical_exaggeration = 1;  ///< stretches lengths upwards, see SlicePictureOptions
  int pixels_per_cell = 0;           ///< 0: chosen
  bool smooth = false;
  std::string title = {};
  std::string name = {};  ///< in file names; empty: field and axis
};

/// A straight line and how many points on it, its ends included.
struct LineOptions {
  Position from, to;
  Index points = 0;  ///< 0: as many as cells along its longest side, and one more
};

/// A plane across an axis.
struct PlaneOptions {
  Axis axis = Axis::z;                  ///< the normal of the plane
  std::optional<double> position = {};  ///< coordinate on the axis; the middle if not given
};

/// Profiles along an axis, averaged over the planes across it.
struct AverageOptions {
  Axis axis = Axis::z;
  /// Pairs of components, beside the variances: {{"velocity[0]", "velocity[1]"}}, or {"u", "v"}.
  std::vector<std::pair<std::string, std::string>> covariances = {};
  double from = 0;  ///< simulated time of the first sample
};

/// Checkpoints on the nodes of a run, beside those in its directory. What any of these schedules
/// asks for at a step is one checkpoint, with parity if it is wanted then, or else with copies if
/// they are.
struct NodeCheckpoints {
  /// A folder of each node: "/local/goban", or "/scratch/{node}", "/scratch/{rank}" with the number
  /// of the machine or the rank; empty: none.
  std::string folder = {};
  When local = {};   ///< every rank's part on its own node: outlasts the death of processes
  When copies = {};  ///< and on the next node: outlasts the loss of a node
  When parity = {};  ///< and parity over groups: outlasts the loss of `lost` nodes of each group
  int group = 8;     ///< nodes of a group, at least
  int lost = 1;
};

struct CheckpointPolicy {
  int keep = 2;             ///< how many of the newest are kept
  Index archive_every = 0;  ///< steps; checkpoints at their multiples are kept for ever; 0: none
  bool at_end = true;       ///< one more when the run is over, so that it can be continued
  /// The state is copied to memory, and a thread of each process saves it while the run goes on:
  /// takes the memory of two states more.
  bool background = false;
  bool compress = false;  ///< losslessly, with zstd
  /// Seconds between failures of the run, on average; 0: as there were so far, at first a day. What
  /// automatic intervals follow from.
  double mtbf = 0;
  NodeCheckpoints nodes = {};
};

}  // namespace goban
