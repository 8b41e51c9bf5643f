#include "goban/simulation/output/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "goban/base/error.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/simulation/output/interpolation.hpp"
#include "goban/simulation/output/levels.hpp"
#include "goban/simulation/output/numbered_files.hpp"

namespace goban {
namespace {

/// As many as cells that the line passes if it is not askew, and one more.
Index points_along(const GridState& grid, const Real3& along) {
  double cells = 1;
  for (int a = 0; a < 3; ++a) cells = std::max(cells, std::abs(along[a]) / grid.spacing[a]);
  return static_cast<Index>(std::lround(cells)) + 1;
}

std::string text_of(const Position& p, const std::string& unit) {
  return fmt::format("({}, {}, {})", quantity_text(p.x, unit), quantity_text(p.y, unit),
                     quantity_text(p.z, unit));
}

class LineOutput : public SimulationOutput {
 public:
  /// Errors (usage): no fields, a line without length, points outside of the grid or in the ground.
  LineOutput(const std::string& name, std::vector<AnyField> fields, const LineOptions& options,
             When when, std::string length_unit)
      : SimulationOutput(name, std::move(when)),
        fields_(std::move(fields)),
        length_unit_(std::move(length_unit)) {
    require(!fields_.empty(), "line '" + name + "' has no fields");
    const GridState& grid = fields_.front().grid();
    const auto& [from, to] = std::pair(options.from, options.to);
    check_inside(fields_.front(), from);
    check_inside(fields_.front(), to);
    const Real3 along = {to.x - from.x, to.y - from.y, to.z - from.z};
    length_ = std::hypot(along[0], along[1], along[2]);
    require(length_ > 0, "line '" + name + "' has no length", "it ends where it begins",
            "a probe takes values at one point");
    const Index count = options.points > 0 ? options.points : points_along(grid, along);
    require(count >= 2, "line '" + name + "' has one point", "it has two ends",
            "a probe takes values at one point");
    for (Index n = 0; n < count; ++n) {
      const double share = static_cast<double>(n) / static_cast<double>(count - 1);
      points_.push_back(
          {from.x + share * along[0], from.y + share * along[1], from.z + share * along[2]});
      for (const AnyField& field : fields_) on_grid(field, points_.back());
    }
  }

  std::vector<AnyField> fields() const override { return fields_; }
  double bytes_per_write() const override {
    constexpr double per_number = 18;
    std::size_t columns = 4;
    for (const AnyField& field : fields_) {
      columns += static_cast<std::size_t>(field.record()->components);
    }
    return per_number * static_cast<double>(columns * points_.size());
  }
  void open(const RunPlace& place, std::optional<Index> keep_until) override {
    place_ = place;
    if (keep_until && place.writes) {
      files_ = keep_numbered(place.directory, place.name + "_" + name(), {".csv"}, *keep_until);
    }
  }
  void write(const Moment& moment) override {
    std::vector<CsvColumn> columns;
    for (const char* name : {"distance", "x", "y", "z"})
      columns.push_back({name, place_.length_unit});
    std::vector<std::vector<double>> table(4);
    for (std::size_t n = 0; n < points_.size(); ++n) {
      const double share = static_cast<double>(n) / static_cast<double>(points_.size() - 1);
      const Position& point = points_[n];
      table[0].push_back(share * length_);
      table[1].push_back(point.x);
      table[2].push_back(point.y);
      table[3].push_back(point.z);
    }
    for (const AnyField& field : fields_) {
      const std::vector<double> values = interpolated(field, points_);
      const auto components = static_cast<std::size_t>(field.record()->components);
      for (std::size_t c = 0; c < components; ++c) {
        columns.push_back({components == 1 ? field.name() : fmt::format("{}[{}]", field.name(), c),
                           field.unit()});
        auto& column = table.emplace_back();
        for (std::size_t n = c; n < values.size(); n += components) column.push_back(values[n]);
      }
    }
    if (!place_.writes) return;
    const auto path =
        place_.directory / numbered_name(place_.name + "_" + name(), moment.clock.step, ".csv");
    write_csv(path, columns, table);
    if (std::find(files_.begin(), files_.end(), path) == files_.end()) files_.push_back(path);
  }
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string describe() const override {
    return joined(names_of(fields_)) + " from " + text_of(points_.front(), length_unit_) + " to " +
           text_of(points_.back(), length_unit_) + " as CSV";
  }

 private:
  std::vector<AnyField> fields_;
  std::vector<Position> points_;
  double length_ = 0;
  std::string length_unit_;
  RunPlace place_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace

std::unique_ptr<SimulationOutput> line_output(const std::string& name, std::vector<AnyField> fields,
                                              const LineOptions& options, When when,
                                              std::string length_unit) {
  return std::make_unique<LineOutput>(name, std::move(fields), options, std::move(when),
                                      std::move(length_unit));
}

}  // namespace goban
