#include "goban/simulation/output/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "goban/base/error.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/grid/each_cell.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/io/picture/slice_picture.hpp"
#include "goban/io/picture/value_range.hpp"
#include "goban/simulation/output/levels.hpp"
#include "goban/simulation/output/numbered_files.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

constexpr const char* axis_names[] = {"x", "y", "z"};

std::string name_for(const AnyField& field, const PictureOptions& options) {
  if (!options.name.empty()) return options.name;
  std::string name = field.name();
  if (field.record()->components > 1) {
    name += options.magnitude ? "_magnitude" : std::to_string(options.component);
  }
  return name + "_" + axis_names[index_of(options.axis)];
}

Index layer_of(const AnyField& field, const PictureOptions& options) {
  const int a = index_of(options.axis);
  const GridState& grid = field.grid();
  Index layer = grid.box_cells()[a] / 2;
  if (options.index) {
    layer = *options.index;
  } else if (options.position) {
    const double cells = (*options.position - grid.origin[a]) / grid.spacing[a];
    layer = static_cast<Index>(std::clamp(std::floor(cells), -1.0, 0x1p62));
    // The upper edge of the grid belongs to the last cell.
    if (cells == static_cast<double>(grid.box_cells()[a])) --layer;
  }
  require(layer >= 0 && layer < grid.box_cells()[a],
          fmt::format("a picture of '{}' across {} is refused", field.name(), axis_names[a]),
          fmt::format("layer {} lies outside of {} cells", layer, grid.box_cells()[a]));
  return layer;
}

/// The same values with the highest layer of z first.
ArrayView turned(const ArrayView& view) {
  ArrayView result = plane_of(view, Axis::z, view.extents[2] - 1);
  result.extents[2] = view.extents[2];
  result.strides[2] = -view.strides[2];
  return result;
}

/// Corners of shapes, one after the other; a NaN behind those of each.
Array array_of(const std::vector<Polyline>& shapes) {
  std::vector<double> numbers;
  for (const Polyline& shape : shapes) {
    for (const Point& p : shape) numbers.insert(numbers.end(), {p.x, p.y});
    numbers.insert(numbers.end(), 2, std::numeric_limits<double>::quiet_NaN());
  }
  Array all(ElementType::float64, {static_cast<Index>(numbers.size()), 1, 1});
  std::memcpy(all.bytes.data(), numbers.data(), numbers.size() * sizeof(double));
  return all;
}
std::vector<Polyline> shapes_of(const Array& corners) {
  std::vector<Polyline> shapes;
  Polyline shape;
  for (Index n = 0; n + 1 < corners.extents[0]; n += 2) {
    const Point p{corners.at(n, 0, 0), corners.at(n + 1, 0, 0)};
    if (std::isnan(p.x)) {
      shapes.push_back(std::move(shape));
      shape.clear();
    } else {
      shape.push_back(p);
    }
  }
  return shapes;
}

/// Where all pictures of a run have one range, which nobody knows before its end, the values of
/// each are kept in <directory>/.frames: a picture has the range of all before it, and gets that of
/// all when the run is over. Where the values are gone, the range stays, and pictures that follow
/// have it, too.
class PictureOutput : public SimulationOutput {
 public:
  /// Errors (usage): no such component, a slice outside of the grid.
  PictureOutput(AnyField field, PictureOptions options, When when, std::string length_unit)
      : SimulationOutput(name_for(field, options), std::move(when)),
        field_(std::move(field)),
        options_(std::move(options)),
        layer_(layer_of(field_, options_)),
        length_unit_(std::move(length_unit)) {
    require(options_.component >= 0 && options_.component < field_.record()->components,
            fmt::format("field '{}' has no component {}", field_.name(), options_.component),
            fmt::format("it has {}", field_.record()->components), "count from 0");
    for (const auto& other : {options_.outline, options_.mask}) {
      require(!other || &other->grid() == &field_.grid(),
              fmt::format("a picture of '{}' is refused", field_.name()),
              other ? "'" + other->name() + "' is of another grid" : "");
    }
    require(options_.vertical_exaggeration > 0,
            fmt::format("a picture of '{}' is refused", field_.name()),
            "its vertical exaggeration is not positive");
    require_pictures();
  }

  std::vector<AnyField> fields() const override {
    std::vector<AnyField> all = {field_};
    for (const auto& other : {options_.outline, options_.mask}) {
      if (other) all.push_back(*other);
    }
    return all;
  }
  void open(const RunPlace& place, std::optional<Index> keep_until) override {
    place_ = place;
    if (!keep_until || !place.writes) return;
    files_ = keep_numbered(place.directory, place.name + "_" + name(), {extension()}, *keep_until);
    std::erase_if(frames_, [&](const Frame& frame) { return frame.step > *keep_until; });
    is_fixed_ = std::any_of(frames_.begin(), frames_.end(),
                            [&](const Frame& frame) { return !fs::exists(values_at(frame.step)); });
  }
  bool acts_on(const Moment& moment) const override {
    return SimulationOutput::acts_on(moment) || (moment.over && has_one_range());
  }
  void write(const Moment& moment) override {
    if (options_.outline) outline_ = read(*options_.outline);
    if (SimulationOutput::acts_on(moment)) {
      const std::vector<Polyline> shapes =
          place_.shapes ? place_.shapes(options_.axis, position_of_cut()) : std::vector<Polyline>{};
      Array values = read(field_);
      Array mask;
      if (options_.mask) mask = read(*options_.mask);
      if (!place_.writes) return;
      if (options_.magnitude) values = magnitude_of(values);
      const int component = options_.magnitude ? 0 : options_.component;
      if (values.components > 1) values = copy_of(component_of(values.view(), component));
      if (options_.mask) values = masked(values.view(), mask.view(), options_.mask_value);
      if (field_.grid().active) values = masked(values.view(), activity().view(), 0.0);
      const ValueSummary summary = summary_of(FlatPlane(values.view(), 0));
      if (!has_one_range()) {
        seen_ = summary;
      } else if (!is_fixed_) {
        seen_ = joined(seen_, summary);
      }
      Frame frame{.step = moment.clock.step, .time = moment.clock.time};
      draw(values, shapes, frame);
      const auto path = picture_of(frame.step);
      if (std::find(files_.begin(), files_.end(), path) == files_.end()) files_.push_back(path);
      if (has_one_range()) {
        if (!is_fixed_) {
          make_directory(values_at(frame.step).parent_path());
          write_npy(values_at(frame.step), values.view());
          if (place_.shapes) write_npy(shapes_at(frame.step), array_of(shapes).view());
        }
        frames_.push_back(frame);
      }
    }
    if (moment.over && place_.writes && has_one_range()) redraw();
  }
  std::vector<std::filesystem::path> files() const override { return files_; }
  double bytes_per_write() const override {
    constexpr double per_pixel = 0.15, least_pixels = 600, most_pixels = 2400;
    const Index3 cells = field_.grid().box_cells();
    Real3 sides{};
    for (int a = 0; a < 3; ++a) {
      const bool is_normal = a == index_of(options_.axis);
      sides[a] = is_normal ? 1 : static_cast<double>(cells[a]);
    }
    const double longest = std::max({sides[0], sides[1], sides[2]});
    const double scale = std::clamp(longest, least_pixels, most_pixels) / longest;
    const double pixels = sides[0] * sides[1] * sides[2] * scale * scale;
    constexpr double frame = 10e3;  // axes, numbers, colour bar
    return frame + per_pixel * pixels;
  }
  std::string describe() const override {
    const std::string cut = place_of_cut();
    return quantity() + (cut.empty() ? "" : " at " + cut) + " as " +
           std::string(options_.format == PictureFormat::png   ? "PNG"
                       : options_.format == PictureFormat::svg ? "SVG"
                                                               : "PDF");
  }
  nlohmann::ordered_json state() const override {
    if (!has_one_range()) return nullptr;
    nlohmann::ordered_json frames = nlohmann::ordered_json::array();
    for (const Frame& frame : frames_) {
      frames.push_back(
          {frame.step, frame.time, frame.low, frame.high, static_cast<int>(frame.map)});
    }
    return {{"frames", std::move(frames)},
            {"extent", {seen_.smallest, seen_.largest, seen_.low_quantile, seen_.high_quantile}},
            {"levels", seen_.levels},
            {"has", {seen_.has_numbers, seen_.has_positive_infinity, seen_.has_negative_infinity}}};
  }
  void restore(const nlohmann::ordered_json& state) override {
    frames_.clear();
    for (const auto& frame : state.at("frames")) {
      frames_.push_back({frame.at(0), frame.at(1), frame.at(2), frame.at(3),
                         static_cast<Colormap>(frame.at(4).get<int>())});
    }
    const auto& extent = state.at("extent");
    const auto& has = state.at("has");
    seen_ = {.smallest = extent.at(0),
             .largest = extent.at(1),
             .low_quantile = extent.at(2),
             .high_quantile = extent.at(3),
             .levels = state.at("levels").get<std::vector<double>>(),
             .has_numbers = has.at(0),
             .has_positive_infinity = has.at(1),
             .has_negative_infinity = has.at(2)};
  }

 private:
  /// A picture that has been written, with the range and the colours it has.
  struct Frame {
    Index step = 0;
    double time = 0;
    double low = 0, high = 0;
    Colormap map = Colormap::sequential;
  };
  bool has_one_range() const {
    return options_.one_range && !options_.range && !when().is_only_at_end();
  }
  /// All ranks read; those that do not write get none.
  Array read(const AnyField& field) const {
    if (!place_.writes) {
      help_with_values_of(field);
      return {};
    }
    return values_of(field, plane());
  }
  Box plane() const {
    const auto a = static_cast<std::size_t>(index_of(options_.axis));
    Box plane = field_.cells();
    plane.lower[a] = layer_;
    plane.upper[a] = layer_ + 1;
    return plane;
  }
  /// 1 where a cell of the plane is active.
  Array activity() const {
    const Box cells = plane();
    Array all(ElementType::uint8, cells.extents(), 1);
    auto* at = all.bytes.data();
    each_cell(cells, [&](Index3 cell) {
      *at++ = static_cast<std::byte>(field_.grid().active->find(cell) >= 0);
    });
    return all;
  }
  /// Draws a frame with the range that is known now, which the frame then has.
  void draw(const Array& values, const std::vector<Polyline>& shapes, Frame& frame) const {
    frame.map = options_.colors.value_or(fitting_colormap(FlatPlane(values.view(), 0), seen_));
    const ValueRange range = automatic_range(seen_, frame.map);
    frame.low = range.low;
    frame.high = range.high;
    SlicePictureOptions how;
    how.title = title({frame.step, frame.time, 0});
    how.name = quantity();
    how.unit = field_.unit();
    how.range = options_.range.value_or(std::pair(frame.low, frame.high));
    how.colormap = frame.map;
    how.origin = field_.grid().origin;
    how.spacing = field_.grid().spacing;
    how.length_unit = place_.length_unit;
    how.pixels_per_cell = options_.pixels_per_cell;
    how.smooth = options_.smooth;
    how.shapes = shapes;
    how.vertical_exaggeration = options_.vertical_exaggeration;
    Array plane, outline;  // of equal heights, where levels follow the ground
    ArrayView view = values.view();
    if (options_.outline) how.outline = outline_.view();
    if (follows_ground(field_, options_.axis)) {
      constexpr double ground = std::numeric_limits<double>::quiet_NaN();
      plane = by_height(field_, view, options_.axis, layer_, ground);
      how.spacing[2] /= static_cast<double>(rows_of_level);
      how.pixels_per_cell = (how.pixels_per_cell + rows_of_level - 1) / rows_of_level;
      view = plane.view();
      if (how.outline) {
        outline = by_height(field_, *how.outline, options_.axis, layer_, {});
        how.outline = outline.view();
      }
    }
    if (points_down()) {
      how.origin[2] += how.spacing[2] * static_cast<double>(view.extents[2]);
      how.spacing[2] *= -1;
      view = turned(view);
      if (how.outline) how.outline = turned(*how.outline);
    }
    write_slice_picture(picture_of(frame.step), view, how);
  }
  bool points_down() const {
    return options_.axis != Axis::z && field_.vertical() && field_.vertical()->points_down;
  }
  /// The run is over: those with another range than the last.
  void redraw() {
    if (is_fixed_) return;
    for (Frame& frame : frames_) {
      // Where they have been removed the picture keeps its range.
      if (!fs::exists(values_at(frame.step))) continue;
      const Array values = read_npy(values_at(frame.step));
      const Colormap map =
          options_.colors.value_or(fitting_colormap(FlatPlane(values.view(), 0), seen_));
      const ValueRange range = automatic_range(seen_, map);
      const bool is_same = frame.map == map && frame.low == range.low && frame.high == range.high;
      if (is_same) continue;
      draw(values,
           place_.shapes ? shapes_of(read_npy(shapes_at(frame.step))) : std::vector<Polyline>{},
           frame);
    }
    if (place_.can_go_on) return;
    std::error_code gone_or_needed_by_others;
    for (const Frame& frame : frames_) {
      fs::remove(values_at(frame.step), gone_or_needed_by_others);
      fs::remove(shapes_at(frame.step), gone_or_needed_by_others);
    }
    fs::remove(place_.directory / ".frames", gone_or_needed_by_others);
  }
  fs::path picture_of(Index step) const {
    return place_.directory / numbered_name(place_.name + "_" + name(), step, extension());
  }
  std::string extension() const { return std::string(".") + name_of(options_.format); }
  fs::path values_at(Index step) const {
    return place_.directory / ".frames" / numbered_name(place_.name + "_" + name(), step, ".npy");
  }
  fs::path shapes_at(Index step) const {
    return place_.directory / ".frames" /
           numbered_name(place_.name + "_" + name() + "_shapes", step, ".npy");
  }
  std::string title(const Clock& clock) const {
    const bool counts_steps = clock.time == static_cast<double>(clock.step);
    const std::string& text = options_.title.empty() ? place_.title : options_.title;
    std::string all;
    for (const std::string& part :
         {text, place_of_cut(),
          counts_steps ? fmt::format("step {}", clock.step)
                       : "t = " + quantity_text(clock.time, place_.time_unit)}) {
      if (!part.empty()) all += (all.empty() ? "" : ", ") + part;
    }
    return all;
  }
  /// "velocity magnitude", "velocity z".
  std::string quantity() const {
    if (options_.magnitude && field_.record()->components > 1) return field_.name() + " magnitude";
    return name_of_component(field_.name(), field_.record()->components, options_.component);
  }
  /// "z = 11 m": the middle of the layer. Empty where the grid has no other.
  std::string place_of_cut() const {
    const auto a = index_of(options_.axis);
    if (field_.grid().box_cells()[a] == 1) return "";
    return fmt::format("{} = {}", axis_names[a], quantity_text(position_of_cut(), length_unit_, 4));
  }
  double position_of_cut() const {
    const auto a = index_of(options_.axis);
    const GridState& grid = field_.grid();
    return grid.origin[a] + (static_cast<double>(layer_) + 0.5) * grid.spacing[a];
  }

  AnyField field_;
  PictureOptions options_;
  Index layer_;  ///< the number of the layer of cells along the axis
  std::string length_unit_;
  RunPlace place_;
  std::vector<std::filesystem::path> files_;
  Array outline_;
  std::vector<Frame> frames_;
  ValueSummary seen_;      ///< a summary of the values of all frames
  bool is_fixed_ = false;  ///< the range may not change: frames are there that cannot be redrawn
};

}  // namespace

std::unique_ptr<SimulationOutput> picture_output(AnyField field, PictureOptions options, When when,
                                                 std::string length_unit) {
  return std::make_unique<PictureOutput>(std::move(field), std::move(options), std::move(when),
                                         std::move(length_unit));
}

}  // namespace goban
