#include "goban/simulation/run/live_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "goban/base/agreement.hpp"
#include "goban/base/build_info.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/grid/each_cell.hpp"
#include "goban/io/file/array_view.hpp"
#include "goban/io/picture/value_range.hpp"
#include "goban/simulation/live/page_facts.hpp"
#include "goban/simulation/output/levels.hpp"
#include "goban/simulation/output/output.hpp"
#include "goban/simulation/output/outputs.hpp"
#include "goban/simulation/report/progress.hpp"
#include "goban/simulation/report/run_files.hpp"

namespace goban {
namespace {

Box plane_of_wish(const AnyField& field, const SliceWish& wish) {
  const auto axis = static_cast<std::size_t>(wish.axis);
  Box plane = field.cells();
  plane.lower[axis] = wish.layer;
  plane.upper[axis] = wish.layer + 1;
  return plane;
}

Array without_inactive(const Array& values, const AnyField& field, const Box& cells) {
  Array active(ElementType::uint8, cells.extents(), 1);
  auto* at = active.bytes.data();
  each_cell(cells, [&](Index3 cell) {
    *at++ = static_cast<std::byte>(field.grid().active->find(cell) >= 0);
  });
  return masked(values.view(), active.view(), 0.0);
}

PageField page_field(const AnyField& field) {
  const GridState& grid = field.grid();
  return {.name = field.name(),
          .components = field.record()->components,
          .unit = field.unit(),
          .cells = grid.box_cells(),
          .origin = grid.origin,
          .spacing = grid.spacing};
}

/// Values of one component, one layer of cells; empty on ranks other than the first, which have
/// their part in it. NaN in cells that are not active, and in the ground below levels that follow
/// it. `wish` is within() the field. Collective.
Array read_plane(const AnyField& field, const SliceWish& wish, bool is_first) {
  if (!is_first) {
    help_with_values_of(field);
    return {};
  }
  const Box cells = plane_of_wish(field, wish);
  Array values = values_of(field, cells);
  if (wish.component < 0) values = magnitude_of(values);
  if (values.components > 1) values = copy_of(component_of(values.view(), wish.component));
  if (field.grid().active) values = without_inactive(values, field, cells);
  const Axis axis = static_cast<Axis>(wish.axis);
  if (!follows_ground(field, axis)) return values;
  return by_height(field, values.view(), axis, wish.layer,
                   std::numeric_limits<double>::quiet_NaN());
}

constexpr double between_states = 0.25, between_slices = 0.2;  // seconds
constexpr double share_of_slices = 0.01;                       // of the time of a run

bool can_draw_pictures() {
  const auto& features = build_info().features;
  return std::find(features.begin(), features.end(), "cairo") != features.end();
}

/// What brings what a plane shows up to date.
class PlaneOfField : public SimulationOutput {
 public:
  explicit PlaneOfField(AnyField field)
      : SimulationOutput("live plane", {}), field_(std::move(field)) {}
  std::vector<AnyField> fields() const override { return {field_}; }
  void open(const RunPlace&, std::optional<Index>) override {}
  void write(const Moment&) override {}
  std::string describe() const override { return "a plane"; }

 private:
  AnyField field_;
};

}  // namespace

LiveRun::LiveRun(const RunPlan& plan, Engines& engines, const StepClock& clock, bool is_first)
    : plan_(plan), engines_(engines), clock_(clock), is_first_(is_first) {
  find_fields();
}

/// Fields that hold what they are named after between steps: those that the run shows or may show,
/// then the rest of its state. What a step leaves behind on the way is not among them.
void LiveRun::find_fields() {
  std::set<const FieldRecord*> kept;
  for (const LiveField& live : engines_.live_fields()) kept.insert(live.record.get());
  for (const Program& program : plan_.derived) {
    for (const FieldRecord* record : written_by(program)) kept.insert(record);
  }
  const auto add = [&](const AnyField& field) {
    if (kept.erase(field.record().get()) > 0) fields_.push_back(field);
  };
  for (const AnyField& field : plan_.shown) add(field);
  for (const auto& output : plan_.outputs) {
    for (const AnyField& field : output->fields()) add(field);
  }
  for (const LiveField& live : engines_.live_fields()) add({live.grid, live.record});
}

void LiveRun::serve(const LiveAddress& address, const std::string& about) {
  board_ = std::make_unique<LiveBoard>(facts(about));
  server_ = serve_live(address, *board_);
}

std::string LiveRun::facts(const std::string& about) const {
  PageFacts facts{
      .name = plan_.name(),
      .app = plan_.app(),
      .title = plan_.options.title,
      .directory = plan_.directory(),
      .host = host_name(),
      .process = getpid(),
      .length_unit = plan_.options.length_unit,
      .about = about,
      .orders = {LiveOrder::pause, LiveOrder::resume, LiveOrder::checkpoint, LiveOrder::stop}};
  if (can_draw_pictures()) facts.orders.push_back(LiveOrder::picture);
  for (const AnyField& field : fields_) facts.fields.push_back(page_field(field));
  return page_facts(facts);
}

RowListener LiveRun::follow(const std::string& series, const std::vector<CsvColumn>& columns) {
  if (!board_) return nullptr;
  std::vector<std::pair<std::string, std::string>> names;
  for (const CsvColumn& column : columns) names.emplace_back(column.name, column.unit);
  const std::size_t number = board_->add_series({series, std::move(names)});
  return
      [board = board_.get(), number](std::span<const double> row) { board->add_row(number, row); };
}

std::int64_t LiveRun::wishes() const {
  if (!board_) return 0;
  const auto bit = [](bool is_wanted, Wish wish) { return is_wanted ? std::int64_t{wish} : 0; };
  return bit(board_->wants_slice(), slice) | bit(board_->wants_picture(), picture) |
         bit(board_->is_paused(), pause) | bit(board_->wants_checkpoint(), checkpoint) |
         bit(board_->wants_stop(), stop);
}

void LiveRun::fulfil(std::int64_t wishes, const Clock& now, const RunPlace& place) {
  const bool may_read = now.wall >= next_slice_ || (wishes & pause) != 0;
  if ((wishes & slice) != 0 && may_read) {
    const auto start = std::chrono::steady_clock::now();
    read_slice(now);
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
    std::array<std::int64_t, 1> longest{took.count()};
    plan_.communicator()->maximum(longest);
    const double seconds = 1e-9 * static_cast<double>(longest[0]);
    next_slice_ = now.wall + std::max(between_slices, seconds / share_of_slices);
  }
  if ((wishes & picture) != 0) draw_picture(now, place);
}

/// The wish of the first rank; nothing where there is no such field.
std::optional<LiveRun::Wished> LiveRun::agree_on(const std::optional<SliceWish>& wish) const {
  constexpr std::int64_t less = std::numeric_limits<std::int64_t>::min();
  std::array<std::int64_t, 4> agreed{less, less, less, less};
  if (wish) agreed = {wish->field, wish->component, wish->axis, wish->layer};
  plan_.communicator()->maximum(agreed);
  if (agreed[0] < 0 || agreed[0] >= static_cast<std::int64_t>(fields_.size())) return {};
  const SliceWish sent{static_cast<int>(agreed[0]), static_cast<int>(agreed[1]),
                       static_cast<int>(agreed[2]), agreed[3]};
  const AnyField& field = fields_[static_cast<std::size_t>(sent.field)];
  return Wished{field, within(sent, page_field(field)), sent};
}

void LiveRun::read_slice(const Clock& now) {
  const auto sent = board_ ? board_->wanted_slice() : std::nullopt;
  const auto wish = agree_on(sent);
  if (!wish) {
    if (sent) board_->put_slice(*sent, {.step = now.step, .facts = "{}"});
    return;
  }
  engines_.derive(PlaneOfField(wish->field), clock_);
  const Array plane = read_plane(wish->field, wish->exactly, is_first_);
  if (!board_) return;
  const bool counts_steps = now.time == static_cast<double>(now.step);
  const SliceWish& exactly = wish->exactly;
  const PagePlane where{
      .step = now.step,
      .time = counts_steps ? "" : quantity_text(now.time, plan_.options.time_unit),
      .component = component_text(exactly.component, wish->field.record()->components),
      .normal = static_cast<Axis>(exactly.axis),
      .layer = exactly.layer};
  board_->put_slice(wish->as_sent, page_slice(plane.view(), page_field(wish->field), where,
                                              plan_.options.length_unit));
}

void LiveRun::draw_picture(const Clock& now, const RunPlace& place) {
  const auto wish = agree_on(board_ ? board_->take_picture() : std::nullopt);
  if (!wish) return;
  const auto& [field, exactly, sent] = *wish;
  PictureOptions options{.axis = static_cast<Axis>(exactly.axis),
                         .index = exactly.layer,
                         .component = std::max(exactly.component, 0),
                         .magnitude = exactly.component < 0,
                         .one_range = false};
  options.name = fmt::format("live_{}_{}{}", field.name(), "xyz"[exactly.axis], exactly.layer);
  const auto output = picture_output(field, options, {}, plan_.options.length_unit);
  engines_.derive(*output, clock_);
  output->open(place, {});
  agree(*plan_.communicator(), [&] { output->write({.clock = now, .due = true}); });
  for (const auto& file : output->files()) place.say("picture " + file.string());
}

void LiveRun::show(const Clock& now, const std::string& status, bool at_once) {
  if (!board_ || !meter_) return;
  if (!at_once && (!board_->has_viewers() || now.wall - shown_ < between_states)) return;
  shown_ = now.wall;
  const ProgressState state = meter_->measure(now.step, now.time, now.wall);
  const bool counts_steps = state.time == static_cast<double>(state.step);
  nlohmann::ordered_json json = {{"status", status},
                                 {"step", state.step},
                                 {"steps", state.steps},
                                 {"fraction", state.fraction},
                                 {"goal", state.goal}};
  if (!counts_steps) json["time"] = quantity_text(state.time, state.time_unit, 4);
  if (state.seconds_left >= 0) json["left"] = format_duration(state.seconds_left);
  if (state.updates_per_second > 0) json["rate"] = format_rate(state.updates_per_second);
  if (state.effective_bandwidth > 0) {
    json["bandwidth"] = fmt::format("{:.3g} GB/s", state.effective_bandwidth * 1e-9);
    if (state.copy_bandwidth > 0) {
      json["of_copy"] = state.effective_bandwidth / state.copy_bandwidth;
    }
  }
  board_->set_state(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace goban
