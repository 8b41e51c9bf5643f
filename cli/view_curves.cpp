// Curves of `goban view`.

#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "cli/view.hpp"
#include "goban/base/error.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/io/picture/ansi_picture.hpp"

namespace goban::cli {

int show_curves(const Context& context, const ViewOptions& options,
                std::vector<CurveFrame> frames) {
  if (!options.range.empty()) {
    require(frames.size() == 1, "--range is refused",
            "there are " + std::to_string(frames.size()) + " frames, one for each unit",
            "choose a column with --field");
    frames.front().options.y_range = {options.range[0], options.range[1]};
  }
  if (!options.out.empty()) {
    write_curve_picture(options.out, frames);
    context.out << "wrote " << options.out << "\n";
    return 0;
  }
  constexpr int least_rows = 12;
  TerminalSize size = terminal_size(STDOUT_FILENO);
  if (frames.size() > 1) {
    size.rows = std::max(least_rows, size.rows / static_cast<int>(frames.size()));
  }
  for (const CurveFrame& frame : frames) {
    context.out << ansi_curve(frame.curves, frame.options, size, terminal_color(STDOUT_FILENO));
  }
  return 0;
}

int show_series(const Context& context, const ViewOptions& options,
                const std::filesystem::path& file) {
  require_fit(options, file.string() + ", a series", {"--field", "--range", "--out"});
  const CsvTable table = read_csv(file);
  const auto has = [&](const std::string& name) {
    return std::any_of(table.columns.begin(), table.columns.end(),
                       [&](const CsvColumn& column) { return column.name == name; });
  };
  const bool is_line = has("distance");
  const std::size_t x = table.column(is_line ? "distance" : has("time") ? "time" : "step");
  const std::vector<std::string> coordinates =
      is_line ? std::vector<std::string>{"distance", "x", "y", "z"}
              : std::vector<std::string>{"step", "time"};
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c].name;
    const bool wanted = options.field.empty() ? std::find(coordinates.begin(), coordinates.end(),
                                                          name) == coordinates.end()
                                              : c == table.column(options.field);
    if (wanted) shown.push_back(c);
  }
  std::vector<CurveFrame> frames;
  for (const std::size_t c : shown) {
    const auto has_unit = [&](const CurveFrame& frame) {
      return frame.options.y_unit == table.columns[c].unit;
    };
    auto frame = std::find_if(frames.begin(), frames.end(), has_unit);
    if (frame == frames.end()) {
      frames.push_back({{},
                        {.title = frames.empty() ? file.filename().string() : "",
                         .x_name = table.columns[x].name,
                         .x_unit = table.columns[x].unit,
                         .y_unit = table.columns[c].unit}});
      frame = frames.end() - 1;
    }
    frame->curves.push_back(
        {.label = table.columns[c].name, .x = table.values[x], .y = table.values[c]});
  }
  for (CurveFrame& frame : frames) {  // the only curve stands at the axis, not in a legend
    if (frame.curves.size() == 1) std::swap(frame.options.y_name, frame.curves.front().label);
  }
  require(!frames.empty(), "nothing to show in " + file.string(),
          "it has no columns but " + joined(coordinates));
  return show_curves(context, options, std::move(frames));
}

}  // namespace goban::cli
