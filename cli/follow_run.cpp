#include "cli/follow_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>
#include <vector>

#include "cli/earlier_run.hpp"
#include "goban/base/error.hpp"
#include "goban/base/printable.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/io/case/toml.hpp"
#include "goban/io/case/units.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"
#include "goban/simulation/live/live_server.hpp"
#include "goban/simulation/live/page_facts.hpp"
#include "goban/simulation/run/signals.hpp"

namespace goban::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto between_orders = std::chrono::milliseconds(200);
constexpr auto between_readings = std::chrono::seconds(1);

std::string line_of_status(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// The newest snapshot of whole fields.
fs::path newest_snapshot(const fs::path& folder) {
  fs::path newest;
  fs::file_time_type newest_time{};
  for (const fs::directory_entry& entry : entries_below(folder)) {
    std::error_code gone;
    const std::string name = entry.path().filename().string();
    const bool is_part = name.find("_plane_") != std::string::npos ||
                         name.find("_statistics.") != std::string::npos ||
                         name.find(".cells.") != std::string::npos ||
                         entry.path().parent_path().filename().string().starts_with(".");
    if (entry.path().extension() != ".vtkhdf" || is_part) continue;
    const auto time = entry.last_write_time(gone);
    if (gone || (!newest.empty() && std::pair(time, entry.path()) < std::pair(newest_time, newest)))
      continue;
    newest = entry.path();
    newest_time = time;
  }
  return newest;
}

/// What the case says of the end of the run.
struct End {
  Index steps = 0;
  double time = 0;
};

End end_of(const fs::path& record) {
  End end;
  if (!is_there(record)) return end;
  const TomlDocument document = parse_toml(read_text(record));
  const TomlValue* const time = document.root.find("time");
  if (time == nullptr) return end;
  if (const TomlValue* steps = time->find("steps")) end.steps = steps->integer;
  if (const TomlValue* last = time->find("end")) {
    if (last->kind == TomlValue::Kind::real) end.time = last->real;
    if (last->kind == TomlValue::Kind::integer) end.time = static_cast<double>(last->integer);
    if (last->kind == TomlValue::Kind::text)
      end.time = parse_quantity(last->text, "s").value.value_or(0);
  }
  return end;
}

class Follower {
 public:
  explicit Follower(fs::path folder) : folder_(std::move(folder)), board_(facts()) {}

  LiveBoard& board() { return board_; }
  /// To be called often.
  void look() {
    if (board_.take_checkpoint()) leave("CHECKPOINT", "a checkpoint is asked for");
    if (board_.wants_stop() && !std::exchange(has_stopped_, true)) {
      leave("STOP", "the run is asked to save and stop");
    }
    if (!board_.has_viewers()) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_reading_) return;
    next_reading_ = now + between_readings;
    try {
      if (fields_.empty() && !newest_snapshot(folder_).empty()) board_.set_facts(facts());
      read_series();
      tell_state();
      if (board_.wants_slice()) read_slice();
    } catch (const Error& error) {  // files that come and go
      if (std::exchange(said_, error.what()) != said_)
        board_.add_line(std::string("warning: ") + error.what());
    }
  }

 private:
  std::string facts() {
    PageFacts facts{.name = folder_.lexically_normal().filename().string(),
                    .app = "followed by its files",
                    .directory = folder_.string(),
                    .orders = {LiveOrder::checkpoint, LiveOrder::stop}};
    if (facts.name.empty()) facts.name = folder_.string();
    if (is_there(folder_ / "run.toml")) facts.about = read_text(folder_ / "run.toml");
    if (const fs::path file = newest_snapshot(folder_); !file.empty()) find_fields(file, facts);
    fields_ = facts.fields;
    return page_facts(facts);
  }
  /// Two planes tell how large all is.
  static void find_fields(const fs::path& file, PageFacts& facts) {
    const StoredSnapshot flat = read_snapshot(file, {.fields = {}, .plane = std::pair(Axis::z, 0)});
    const StoredSnapshot upright =
        read_snapshot(file, {.fields = {}, .plane = std::pair(Axis::x, 0)});
    facts.length_unit = flat.length_unit;
    for (std::size_t n = 0; n < flat.fields.size(); ++n) {
      const Array& field = flat.fields[n];
      Index3 cells = field.extents;
      cells[2] = upright.fields[n].extents[2];
      facts.fields.push_back({.name = field.name,
                              .components = field.components,
                              .unit = flat.units[n],
                              .cells = cells,
                              .origin = flat.origin,
                              .spacing = flat.spacing});
    }
  }
  void leave(const char* name, const std::string& line) {
    std::ofstream(folder_ / name).flush();
    board_.add_line(is_there(folder_ / name) ? line
                                             : fmt::format("warning: cannot write {}", name));
  }
  void read_series() {
    for (const fs::directory_entry& entry : entries_below(folder_)) {
      const fs::path& file = entry.path();
      std::error_code gone;
      const auto size = entry.file_size(gone);
      if (file.extension() != ".csv" || gone || sizes_[file] == size) continue;
      const CsvTable table = read_csv(file);
      if (table.columns.empty() || table.columns.front().name != "step") continue;
      sizes_[file] = size;
      tell_series(file, table);
    }
  }
  void tell_series(const fs::path& file, const CsvTable& table) {
    const std::size_t from = table.columns.size() > 1 && table.columns[1].name == "time" ? 1 : 0;
    std::vector<std::pair<std::string, std::string>> columns;
    for (std::size_t c = from; c < table.columns.size(); ++c) {
      columns.emplace_back(table.columns[c].name, table.columns[c].unit);
    }
    LiveSeries series(file.stem().string(), columns);
    std::vector<double> row(columns.size());
    for (std::size_t r = 0; r < static_cast<std::size_t>(table.rows()); ++r) {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = table.values[from + c][r];
      series.add(row);
    }
    if (table.rows() > 0) {
      step_ = std::max(step_, static_cast<Index>(table.values[0].back()));
      if (from == 1) time_ = std::max(time_, table.values[1].back());
      time_unit_ = from == 1 ? table.columns[1].unit : "";
    }
    const auto known = numbers_.find(file);
    if (known != numbers_.end()) return board_.replace_series(known->second, std::move(series));
    numbers_[file] = board_.add_series(std::move(series));
  }
  void tell_state() {
    const std::string status = line_of_status(folder_ / "STATUS"), death = death_of(folder_);
    const std::string word = status.substr(0, status.find_first_of(":,"));
    if (std::exchange(status_, status) != status) board_.add_line(status);
    const End end = end_of(folder_ / "run.toml");
    double fraction = -1;
    if (end.steps > 0) fraction = static_cast<double>(step_) / static_cast<double>(end.steps);
    if (end.time > 0) fraction = std::max(fraction, time_ / end.time);
    if (word == "finished") fraction = 1;
    nlohmann::ordered_json json = {{"status", death.empty() ? word : "failed"},
                                   {"step", step_},
                                   {"steps", end.steps},
                                   {"fraction", std::min(fraction, 1.0)}};
    if (time_ != static_cast<double>(step_)) json["time"] = quantity_text(time_, time_unit_, 4);
    board_.set_state(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  void read_slice() {
    const auto sent = board_.wanted_slice();
    if (!sent || sent->field < 0 || sent->field >= static_cast<int>(fields_.size())) return;
    const fs::path file = newest_snapshot(folder_);
    if (file.empty()) return;
    const PageField& field = fields_[static_cast<std::size_t>(sent->field)];
    const SliceWish wish = within(*sent, field);
    const Axis axis = static_cast<Axis>(wish.axis);
    const StoredSnapshot stored =
        read_snapshot(file, {.fields = {field.name}, .plane = std::pair(axis, wish.layer)});
    step_ = std::max(step_, stored.step);
    time_ = std::max(time_, stored.time);
    Array plane = stored.fields.front();
    if (wish.component < 0) plane = magnitude_of(plane);
    if (plane.components > 1) plane = copy_of(component_of(plane.view(), wish.component));
    const bool counts_steps = stored.time == static_cast<double>(stored.step);
    const PagePlane where{.step = stored.step,
                          .time = counts_steps ? "" : quantity_text(stored.time, stored.time_unit),
                          .component = component_text(wish.component, field.components),
                          .normal = axis,
                          .layer = wish.layer};
    board_.put_slice(*sent, page_slice(plane.view(), field, where, stored.length_unit));
  }

  fs::path folder_;
  std::vector<PageField> fields_;
  LiveBoard board_;
  std::map<fs::path, std::uintmax_t> sizes_;
  std::map<fs::path, std::size_t> numbers_;
  std::chrono::steady_clock::time_point next_reading_{};
  Index step_ = 0;
  double time_ = 0;
  std::string time_unit_, status_, said_;
  bool has_stopped_ = false;
};

}  // namespace

int follow_run(const Context& context, const fs::path& folder, const std::string& at) {
  const LiveAddress address = live_address(at);
  if (!fs::is_directory(folder) || !holds_a_run(folder)) {
    throw Error(ExitCode::files, "cannot follow " + folder.string(),
                "it is not the folder of a run", "name that of a run which has begun");
  }
  SignalWatch signals;
  Follower follower(folder);
  const auto server = serve_live(address, follower.board());
  context.out << "live page: " << server->url() << std::endl;
  while (signals.stop_signal() == 0) {
    follower.look();
    std::this_thread::sleep_for(between_orders);
  }
  return 0;
}

}  // namespace goban::cli
