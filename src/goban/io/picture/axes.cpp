#include "goban/io/picture/axes.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace goban {
namespace {

// Distances in heights of a capital.
constexpr double mark_length = 0.55;
constexpr double minor_length = 0.3;
constexpr double number_gap = 0.5;
constexpr double title_gap = 1.0;
constexpr double title_size = 1.1;
constexpr double descender = 0.35;
constexpr double heading_size = 1.3;
constexpr double heading_room = 3.2;
constexpr double heading_gap = 1.5;
constexpr double heading_line = 2.2;
constexpr double edge = 0.5;  ///< room that titles leave free at both ends, in sizes of text

double widest_label(const Ticks& ticks) {
  double widest = 0;
  for (const Tick& tick : ticks.marks) widest = std::max(widest, width_of(tick.label));
  return widest;
}

/// Whether neighbouring numbers keep their distance.
bool fits(const PlotAxis& axis, double pixels, double text, bool across) {
  double last_end = -1e300;
  for (const Tick& tick : axis.ticks.marks) {
    if (tick.label.empty()) continue;
    const double center = axis.share_of(tick.value) * pixels;
    const double half = (across ? width_of(tick.label) : 1) * text / 2;
    if (center - half < last_end + 1.2 * text) return false;
    last_end = center + half;
  }
  return true;
}

int labels_of(const Ticks& ticks) {
  return static_cast<int>(std::count_if(ticks.marks.begin(), ticks.marks.end(),
                                        [](const Tick& tick) { return !tick.label.empty(); }));
}

double line_width(double text) { return std::max(1.0, 0.1 * text); }

/// The height of an axis' title that has so much room.
double size_of_title(const std::string& title, double text, double room) {
  return std::min(title_size * text, room / std::max(1e-9, width_of(title)));
}

/// `center` or, where `half` a text would leave the picture, a place where it does not.
double inside(double center, double half, double length) {
  return std::max(half, std::min(center, length - half));
}

/// Liang and Barsky (1984): the share [t0, t1] of a segment between two parallel edges.
bool keep(double start, double change, double low, double high, double& t0, double& t1) {
  if (change == 0) return start >= low && start <= high;
  const auto [enter, leave] = std::minmax({(low - start) / change, (high - start) / change});
  t0 = std::max(t0, enter);
  t1 = std::min(t1, leave);
  return t0 <= t1;
}

}  // namespace

double PlotAxis::share_of(double value) const {
  if (scale == AxisScale::linear) return (value / 2 - low / 2) / (high / 2 - low / 2);
  const double log_low = std::log(low);
  return value > 0 ? (std::log(value) - log_low) / (std::log(high) - log_low) : std::nan("");
}

PlotAxis plot_axis(double low, double high, AxisScale scale, double pixels, double text,
                   bool across, const std::string& unit) {
  PlotAxis axis{.low = low, .high = high, .scale = scale, .ticks = {}, .title = {}};
  const auto ticks = [&](int wanted) {
    return scale == AxisScale::linear ? linear_ticks(low, high, wanted, unit)
                                      : log_ticks(low, high, wanted);
  };
  int wanted = std::clamp(static_cast<int>(pixels / ((across ? 7 : 5) * text)), 1, 8);
  axis.ticks = ticks(wanted);
  while (wanted > 1 && !fits(axis, pixels, text, across)) axis.ticks = ticks(--wanted);
  // One number says nothing about distances.
  for (int more = wanted + 1; labels_of(axis.ticks) < 2 && more <= 8; ++more) {
    PlotAxis denser = axis;
    denser.ticks = ticks(more);
    if (fits(denser, pixels, text, across)) axis = denser;
  }
  return axis;
}

double height_below(const PlotAxis& axis, double text) {
  const double title = axis.title.empty() ? 0 : title_gap + title_size + descender;
  return (mark_length + number_gap + 1 + title) * text;
}

double width_beside(const PlotAxis& axis, double text) {
  const double title = axis.title.empty() ? 0 : title_gap + title_size;
  return (mark_length + number_gap + widest_label(axis.ticks) + title) * text;
}

void draw_axis_below(Canvas& canvas, const PlotBox& box, const PlotAxis& axis, double text) {
  std::vector<Polyline> marks;
  for (const Tick& tick : axis.ticks.marks) {
    const double x = std::floor(box.left + axis.share_of(tick.value) * (box.width() - 1)) + 0.5;
    const double length = (tick.label.empty() ? minor_length : mark_length) * text;
    marks.push_back({{x, box.bottom + 0.5}, {x, box.bottom + length}});
    canvas.draw_text({x, box.bottom + (mark_length + number_gap + 1) * text}, tick.label,
                     {.size = text, .color = ink, .align = Align::center});
  }
  canvas.draw_lines(marks, line_width(text), ink);
  const double y = box.bottom + (mark_length + number_gap + 1 + title_gap + title_size) * text;
  const double size = size_of_title(axis.title, text, canvas.width() - 2 * edge * text);
  const double half = width_of(axis.title) * size / 2 + edge * text;
  canvas.draw_text({inside((box.left + box.right) / 2, half, canvas.width()), y}, axis.title,
                   {.size = size, .color = ink, .align = Align::center});
}

void draw_axis_beside(Canvas& canvas, const PlotBox& box, const PlotAxis& axis, double text,
                      Side side) {
  const double outward = side == Side::low ? -1 : 1;
  const double from = side == Side::low ? box.left : box.right;
  std::vector<Polyline> marks;
  for (const Tick& tick : axis.ticks.marks) {
    const double y =
        std::floor(box.bottom - 1 - axis.share_of(tick.value) * (box.height() - 1)) + 0.5;
    const double length = (tick.label.empty() ? minor_length : mark_length) * text;
    marks.push_back({{from + outward * 0.5, y}, {from + outward * length, y}});
    canvas.draw_text(
        {from + outward * (mark_length + number_gap) * text, y + text / 2}, tick.label,
        {.size = text, .color = ink, .align = side == Side::low ? Align::right : Align::left});
  }
  canvas.draw_lines(marks, line_width(text), ink);
  const double beyond = (mark_length + number_gap + widest_label(axis.ticks) + title_gap) * text;
  const double baseline = side == Side::low ? from - beyond : from + beyond + title_size * text;
  const double size = size_of_title(axis.title, text, canvas.height() - 2 * edge * text);
  const double half = width_of(axis.title) * size / 2 + edge * text;
  canvas.draw_text(
      {baseline, inside((box.top + box.bottom) / 2, half, canvas.height())}, axis.title,
      {.size = size, .color = ink, .align = Align::center, .direction = Direction::up});
}

void draw_frame(Canvas& canvas, const PlotBox& box) {
  canvas.draw_lines({{{box.left - 0.5, box.top - 0.5},
                      {box.right + 0.5, box.top - 0.5},
                      {box.right + 0.5, box.bottom + 0.5},
                      {box.left - 0.5, box.bottom + 0.5},
                      {box.left - 0.5, box.top - 0.5}}},
                    1, ink);
}

Heading::Heading(const std::string& title, double text, double room) : text_(text), room_(room) {
  std::istringstream words(title);
  for (std::string word; words >> word;) {
    const bool fits =
        !lines_.empty() &&
        width_of(lines_.back() + " " + word, Weight::bold) * heading_size * text <= room;
    if (fits) {
      lines_.back() += " " + word;
    } else {
      lines_.push_back(word);
    }
  }
}

double Heading::height() const {
  const auto more = static_cast<double>(lines_.size()) - 1;
  return lines_.empty() ? 0 : (heading_room + more * heading_line) * text_;
}

void Heading::draw(Canvas& canvas, double center, double bottom) const {
  double baseline = bottom - (height() - heading_room * text_) - heading_gap * text_;
  for (const std::string& line : lines_) {
    const double size =
        std::min(heading_size * text_, room_ / std::max(1e-9, width_of(line, Weight::bold)));
    const double half = width_of(line, Weight::bold) * size / 2;
    canvas.draw_text({inside(center, half, canvas.width()), baseline}, line,
                     {.size = size, .color = ink, .align = Align::center, .weight = Weight::bold});
    baseline += heading_line * text_;
  }
}

std::vector<Polyline> clipped(const Polyline& line, const PlotBox& box) {
  std::vector<Polyline> parts;
  bool continues = false;
  for (std::size_t n = 1; n < line.size(); ++n) {
    const Point a = line[n - 1];
    const Point b = line[n];
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    double t0 = 0;
    double t1 = 1;
    if (!keep(a.x, dx, box.left, box.right, t0, t1) ||
        !keep(a.y, dy, box.top, box.bottom, t0, t1)) {
      continues = false;
      continue;
    }
    if (!continues || t0 > 0) parts.push_back({{a.x + t0 * dx, a.y + t0 * dy}});
    parts.back().push_back({a.x + t1 * dx, a.y + t1 * dy});
    continues = t1 == 1;
  }
  return parts;
}

}  // namespace goban
