#include "atmosphere/larger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "goban/base/error.hpp"
#include "goban/io/case/table.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"

namespace goban::atmosphere {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, LargerModel::values> names{
    "theta_deviation", "pressure_deviation", "u", "v", "vapor", "cloud", "rain", "w"};

bool is_optional(std::size_t value) {
  return value >= static_cast<std::size_t>(LargerModel::Value::cloud);
}
bool is_water(std::size_t value) { return value >= 4 && value < 7; }

Array field_of(const StoredSnapshot& snapshot, const fs::path& file, const std::string& name,
               bool is_needed) {
  for (const Array& field : snapshot.fields) {
    if (field.name == name) return field;
  }
  if (!is_needed) return {};
  throw_unreadable(file, fmt::format("it has no field '{}'", name),
                   "name it in output.snapshots.fields of the coarser run");
}

}  // namespace

LargerModel::LargerModel(fs::path file, const Levels& levels, const GridState& grid, double begin)
    : file_(std::move(file)),
      levels_(levels),
      cells_(grid.cells),
      cell_origin_(grid.origin),
      cell_spacing_(grid.spacing) {
  if (file_.extension() == ".xdmf") {
    if (!fs::exists(file_)) throw_unreadable(file_, "it is not there");
    const XdmfSeries index(file_, std::numeric_limits<Index>::max());
    for (const auto& entry : index.entries()) {
      times_.push_back(entry.time);
      files_.push_back(file_.parent_path() / entry.file);
    }
  } else {
    const UserTable table = goban::read_table(file_);
    times_ = table.times(0);
  }
  for (double& time : times_) time -= begin;
  if (times_.size() < 2) {
    throw_unreadable(file_, fmt::format("it has {} times", times_.size()),
                     "give two at least: the first and the last of the run");
  }
}

std::size_t LargerModel::before(double time) const {
  const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, time);
  return static_cast<std::size_t>(after - times_.begin()) - 1;
}

double LargerModel::share(double time) const {
  const std::size_t n = before(time);
  return std::clamp((time - times_[n]) / (times_[n + 1] - times_[n]), 0.0, 1.0);
}

void LargerModel::read(std::size_t n, bool has_water) {
  fields_.assign(values, {});
  components_.assign(values, 0);
  heights_ = {};
  const bool is_table = files_.empty();
  const StoredSnapshot snapshot = is_table ? StoredSnapshot{} : read_snapshot(files_[n]);
  for (std::size_t value = 0; value < values; ++value) {
    if (is_water(value) && !has_water) continue;
    if (is_table) {
      read_array(n, value);
      continue;
    }
    const bool is_wind = std::string_view("uvw").find(names[value]) != std::string_view::npos;
    fields_[value] = field_of(snapshot, files_[n], is_wind ? "velocity" : names[value],
                              is_wind || !is_optional(value));
    components_[value] = is_wind ? names[value][0] - 'u' : 0;
  }
  if (!is_table) heights_ = field_of(snapshot, files_[n], "height", false);
  origin_ = is_table ? cell_origin_ : snapshot.origin;
  spacing_ = is_table ? cell_spacing_ : snapshot.spacing;
}

void LargerModel::read_array(std::size_t n, std::size_t value) {
  const fs::path path =
      file_.parent_path() / fmt::format("{}.{}.{}.npy", file_.stem().string(), n, names[value]);
  if (is_optional(value) && !fs::exists(path)) return;
  fields_[value] = read_npy(path);
  if (fields_[value].extents == cells_) return;
  throw_unreadable(path, fmt::format("it has {} values", text_of(fields_[value].extents)),
                   fmt::format("the grid has {} cells", text_of(cells_)));
}

LargerModel::Place LargerModel::along(std::size_t axis, double coordinate) const {
  const Index last = fields_[0].extents[axis] - 1;
  const double place = (coordinate - origin_[axis]) / spacing_[axis] - 0.5;
  const auto low = std::clamp<Index>(static_cast<Index>(std::floor(place)), 0, last);
  return {low, std::min(low + 1, last), std::clamp(place - static_cast<double>(low), 0.0, 1.0)};
}

double LargerModel::height(Index i, Index j, Index k) const {
  if (heights_.cells() > 0) return heights_.at(i, j, k);
  return origin_[2] + (static_cast<double>(k) + 0.5) * spacing_[2];
}

LargerModel::Place LargerModel::above(Index i, Index j, double z) const {
  const Index last = fields_[0].extents[2] - 1;
  Index high = 0;
  while (high < last && height(i, j, high) <= z) ++high;
  const Index low = std::max<Index>(high - 1, 0);
  if (low == high) return {low, high, 0};
  const double bottom = height(i, j, low), top = height(i, j, high);
  return {low, high, std::clamp((z - bottom) / (top - bottom), 0.0, 1.0)};
}

double LargerModel::at(Value value, Index3 cell) const {
  const auto n = static_cast<std::size_t>(value);
  const Array& field = fields_[n];
  if (field.cells() == 0) return 0;
  if (files_.empty()) return field.at(cell[0], cell[1], cell[2]);
  const auto middle = [&](std::size_t axis) {
    return cell_origin_[axis] + (static_cast<double>(cell[axis]) + 0.5) * cell_spacing_[axis];
  };
  const Place x = along(0, middle(0)), y = along(1, middle(1));
  const double z = levels_.center(cell);
  const auto column = [&](Index i, Index j) {
    const Place up = above(i, j, z);
    return (1 - up.share) * field.at(i, j, up.low, components_[n]) +
           up.share * field.at(i, j, up.high, components_[n]);
  };
  const auto row = [&](Index j) {
    return (1 - x.share) * column(x.low, j) + x.share * column(x.high, j);
  };
  return (1 - y.share) * row(y.low) + y.share * row(y.high);
}

}  // namespace goban::atmosphere
