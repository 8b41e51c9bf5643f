#include "goban/io/picture/surface_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "goban/base/error.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/geometry/vector.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/picture/axes.hpp"
#include "goban/io/picture/colormap.hpp"

namespace goban {
namespace {

using namespace vectors;

constexpr double pixels = 900;  ///< along the longer side of the box as it is seen
constexpr int samples = 2;      ///< along each side of a pixel
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Values at the middles of cells, which have whole numbers as coordinates.
class Volume {
 public:
  explicit Volume(const ArrayView& view) : cells_(view.extents) {
    values_.reserve(static_cast<std::size_t>(view.cells()));
    for (Index3 i{}; i[2] < cells_[2]; ++i[2]) {
      for (i[1] = 0; i[1] < cells_[1]; ++i[1]) {
        for (i[0] = 0; i[0] < cells_[0]; ++i[0]) {
          values_.push_back(static_cast<float>(view.at(i[0], i[1], i[2])));
        }
      }
    }
  }

  const Index3& cells() const { return cells_; }
  const std::vector<float>& values() const { return values_; }

  /// The values at the corners of the cube whose lowest corner this is, x fastest.
  std::array<float, 8> corners(const Index3& low) const {
    const float* at = values_.data() + (low[2] * cells_[1] + low[1]) * cells_[0] + low[0];
    const Index y = cells_[0], z = cells_[0] * cells_[1];
    return {at[0], at[1], at[y], at[y + 1], at[z], at[z + 1], at[z + y], at[z + y + 1]};
  }

  /// The value anywhere, of the nearest place inside if that is beside the box.
  double operator()(const Real3& place) const {
    Index3 low;
    Real3 share;
    for (std::size_t a = 0; a < 3; ++a) {
      const double x = std::clamp(place[a], 0.0, static_cast<double>(cells_[a] - 1));
      low[a] = std::min(static_cast<Index>(x), cells_[a] - 2);
      share[a] = x - static_cast<double>(low[a]);
    }
    return interpolated(corners(low), share);
  }

  static double interpolated(const std::array<float, 8>& corners, const Real3& share) {
    const auto along_x = [&](std::size_t n) {
      return corners[n] + share[0] * (corners[n + 1] - corners[n]);
    };
    const auto along_y = [&](std::size_t n) {
      return along_x(n) + share[1] * (along_x(n + 2) - along_x(n));
    };
    return along_y(0) + share[2] * (along_y(4) - along_y(0));
  }

 private:
  Index3 cells_;
  std::vector<float> values_;
};

/// Where a ray meets the first surface.
struct Hit {
  double depth = infinity;
  std::size_t level = 0;
};

/// A ray in coordinates of cells; its parameter is a length.
struct Ray {
  Real3 origin, direction;
  Real3 at(double depth) const { return origin + depth * direction; }
};

/// The first place between two depths, within a cube, where its value is `level`.
double crossing(const std::array<float, 8>& corners, const Index3& low, const Ray& ray, double from,
                double to, double level) {
  constexpr int pieces = 4, halvings = 12;
  const auto beside = [&](double depth) {
    Real3 share = ray.at(depth);
    for (std::size_t a = 0; a < 3; ++a) {
      share[a] = std::clamp(share[a] - static_cast<double>(low[a]), 0.0, 1.0);
    }
    return Volume::interpolated(corners, share) - level;
  };
  double begin = from, at_begin = beside(begin);
  for (int n = 1; n <= pieces; ++n) {
    double end = from + (to - from) * n / pieces;
    const double at_end = beside(end);
    if ((at_begin < 0) != (at_end < 0)) {
      for (int k = 0; k < halvings; ++k) {
        const double middle = (begin + end) / 2;
        ((beside(middle) < 0) == (at_begin < 0) ? begin : end) = middle;
      }
      return end;
    }
    begin = end;
    at_begin = at_end;
  }
  return infinity;
}

/// Depths at which a ray enters and leaves the box; empty if it passes by.
std::optional<std::pair<double, double>> depths_in(const Ray& ray, const Index3& cells) {
  double from = -infinity, to = infinity;
  for (std::size_t a = 0; a < 3; ++a) {
    const double far = static_cast<double>(cells[a] - 1);
    if (ray.direction[a] == 0) {
      if (ray.origin[a] < 0 || ray.origin[a] > far) return {};
      continue;
    }
    const double low_face = -ray.origin[a] / ray.direction[a];
    const double far_face = (far - ray.origin[a]) / ray.direction[a];
    from = std::max(from, std::min(low_face, far_face));
    to = std::min(to, std::max(low_face, far_face));
  }
  if (from >= to) return {};
  return std::pair{from, to};
}

/// Goes from cube to cube along the ray (Amanatides and Woo, Eurographics 1987).
Hit first_hit(const Volume& volume, const Ray& ray, const std::vector<double>& levels) {
  const auto inside = depths_in(ray, volume.cells());
  if (!inside) return {};
  const Real3 entry = ray.at(inside->first);
  Index3 cube;
  Real3 next, pace;
  for (std::size_t a = 0; a < 3; ++a) {
    cube[a] = std::clamp(static_cast<Index>(std::floor(entry[a])), Index{0}, volume.cells()[a] - 2);
    const double d = ray.direction[a];
    pace[a] = d == 0 ? infinity : std::abs(1 / d);
    const auto face = static_cast<double>(cube[a] + (d > 0 ? 1 : 0));
    next[a] = d == 0 ? infinity : (face - ray.origin[a]) / d;
  }
  double depth = inside->first;
  while (depth < inside->second) {
    const auto a =
        static_cast<std::size_t>(std::min_element(next.begin(), next.end()) - next.begin());
    const auto corners = volume.corners(cube);
    const auto [least, largest] = std::minmax_element(corners.begin(), corners.end());
    const double end = std::min(next[a], inside->second);
    Hit hit;
    for (std::size_t n = 0; n < levels.size(); ++n) {
      if (!(*least <= levels[n] && *largest >= levels[n])) continue;
      const double here = crossing(corners, cube, ray, depth, end, levels[n]);
      if (here < hit.depth) hit = {here, n};
    }
    if (hit.depth < infinity) return hit;
    depth = end;
    next[a] += pace[a];
    cube[a] += ray.direction[a] > 0 ? 1 : -1;
    if (cube[a] < 0 || cube[a] > volume.cells()[a] - 2) break;
  }
  return {};
}

/// Where the viewer stands, and the plane of the picture.
struct View {
  Real3 to_viewer, right, up;

  View(double azimuth, double elevation) {
    const double a = azimuth * std::numbers::pi / 180, e = elevation * std::numbers::pi / 180;
    to_viewer = {std::cos(e) * std::sin(a), -std::cos(e) * std::cos(a), std::sin(e)};
    right = {std::cos(a), std::sin(a), 0};
    up = cross(to_viewer, right);
  }
};

/// The colours of a surface, lit from the viewer's upper left.
Color shade(const Color& plain, const Real3& gradient, const View& view) {
  const double length = norm(gradient);
  const Real3 normal = length > 0 ? (dot(gradient, view.to_viewer) < 0 ? -1 : 1) / length * gradient
                                  : view.to_viewer;
  const Real3 light = direction(0.7 * view.to_viewer + 0.5 * view.up - 0.4 * view.right);
  const Real3 halfway = direction(light + view.to_viewer);
  const double diffuse = 0.45 + 0.55 * std::max(0.0, dot(normal, light));
  const double gloss = 60 * std::pow(std::max(0.0, dot(normal, halfway)), 40);
  const auto lit = [&](std::uint8_t part) {
    return static_cast<std::uint8_t>(std::min(255.0, (60 + 0.76 * part) * diffuse + gloss));
  };
  return {lit(plain.red), lit(plain.green), lit(plain.blue)};
}

/// Picture and depths of a box in parallel projection. Lengths are those of the box.
class Scene {
 public:
  Scene(const Volume& volume, const SurfacePictureOptions& options)
      : volume_(volume), options_(options), view_(options.azimuth, options.elevation) {
    for (std::size_t a = 0; a < 3; ++a) {
      cell_[a] = std::abs(options.spacing[a]) * (a == 2 ? options.vertical_exaggeration : 1);
      size_[a] = cell_[a] * static_cast<double>(volume.cells()[a]);
    }
    low_ = {infinity, infinity};
    Point high = {-infinity, -infinity};
    for (std::size_t n = 0; n < 8; ++n) {
      const Point p = flat(corner(n));
      low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    scale_ = pixels / std::max(high.x - low_.x, high.y - low_.y);
    image = Image(static_cast<Index>(std::ceil((high.x - low_.x) * scale_)),
                  static_cast<Index>(std::ceil((high.y - low_.y) * scale_)));
    depths_.assign(static_cast<std::size_t>(image.width * image.height), infinity);
    high_ = high;
  }

  Image image;

  void draw_surfaces(const std::vector<Color>& colors) {
    for (Index y = 0; y < image.height; ++y) {
      for (Index x = 0; x < image.width; ++x) draw_pixel(x, y, colors);
    }
  }

  /// The parts of the line between two corners that no surface hides, in pixels.
  std::vector<Polyline> seen(const Real3& from, const Real3& to) const {
    constexpr int pieces = 400;
    std::vector<Polyline> lines;
    bool goes_on = false;
    for (int n = 0; n <= pieces; ++n) {
      const Real3 place = from + static_cast<double>(n) / pieces * (to - from);
      const Point p = in_pixels(place);
      const auto x = std::clamp(static_cast<Index>(p.x), Index{0}, image.width - 1);
      const auto y = std::clamp(static_cast<Index>(p.y), Index{0}, image.height - 1);
      const bool hidden = depths_[static_cast<std::size_t>(y * image.width + x)] <
                          -dot(place, view_.to_viewer) - 1e-3 * norm(size_);
      if (!hidden && !goes_on) lines.emplace_back();
      if (!hidden) lines.back().push_back(p);
      goes_on = !hidden;
    }
    return lines;
  }

  Point in_pixels(const Real3& place) const {
    const Point p = flat(place);
    return {(p.x - low_.x) * scale_, (high_.y - p.y) * scale_};
  }

  /// A corner of the box: bit a of the number is set at its far end along axis a.
  Real3 corner(std::size_t n) const {
    return {n & 1 ? size_[0] : 0, n & 2 ? size_[1] : 0, n & 4 ? size_[2] : 0};
  }

 private:
  Point flat(const Real3& place) const { return {dot(place, view_.right), dot(place, view_.up)}; }

  /// The ray of a place in the picture, from a plane through the corner of the box.
  Ray ray_at(double x, double y) const {
    const Real3 from = (low_.x + x / scale_) * view_.right + (high_.y - y / scale_) * view_.up;
    Ray ray;
    for (std::size_t a = 0; a < 3; ++a) {
      ray.origin[a] = from[a] / cell_[a] - 0.5;
      ray.direction[a] = -view_.to_viewer[a] / cell_[a];
    }
    return ray;
  }

  Real3 gradient_at(const Real3& place) const {
    Real3 gradient;
    for (std::size_t a = 0; a < 3; ++a) {
      Real3 ahead = place, behind = place;
      ahead[a] += 0.5, behind[a] -= 0.5;
      gradient[a] = (volume_(ahead) - volume_(behind)) / cell_[a];
    }
    return gradient;
  }

  void draw_pixel(Index x, Index y, const std::vector<Color>& colors) {
    std::array<int, 3> sum = {};
    double nearest = infinity;
    for (int n = 0; n < samples * samples; ++n) {
      const Ray ray = ray_at(static_cast<double>(x) + (n % samples + 0.5) / samples,
                             static_cast<double>(y) + (n / samples + 0.5) / samples);
      const Hit hit = first_hit(volume_, ray, options_.levels);
      nearest = std::min(nearest, hit.depth);
      const Color color = hit.depth == infinity
                              ? Color{255, 255, 255}
                              : shade(colors[hit.level], gradient_at(ray.at(hit.depth)), view_);
      sum = {sum[0] + color.red, sum[1] + color.green, sum[2] + color.blue};
    }
    const auto mean = [&](int a) {
      return static_cast<std::uint8_t>(sum[a] / (samples * samples));
    };
    image.set(x, y, {mean(0), mean(1), mean(2)});
    depths_[static_cast<std::size_t>(y * image.width + x)] = nearest;
  }

  const Volume& volume_;
  const SurfacePictureOptions& options_;
  View view_;
  Real3 cell_{}, size_{};
  Point low_, high_;
  double scale_ = 1;
  std::vector<double> depths_;
};

/// Draws the edges of the box as far as they are seen.
void draw_edges(Canvas& canvas, const Scene& scene, const Point& shift) {
  std::vector<Polyline> lines;
  for (std::size_t from = 0; from < 8; ++from) {
    for (const std::size_t bit : {1, 2, 4}) {
      if (from & bit) continue;
      for (Polyline& line : scene.seen(scene.corner(from), scene.corner(from | bit))) {
        for (Point& p : line) p = {p.x + shift.x, p.y + shift.y};
        lines.push_back(std::move(line));
      }
    }
  }
  canvas.draw_lines(lines, 1.2, {150, 150, 158});
}

/// Names the axes with their ends, x and y at their lowest edge, z at its leftmost one.
void draw_names(Canvas& canvas, const Scene& scene, const Index3& cells,
                const SurfacePictureOptions& options, const Point& shift, double text) {
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t bit = std::size_t{1} << a;
    Point best = {infinity, -infinity};
    for (std::size_t n = 0; n < 8; ++n) {
      if (n & bit) continue;
      const Point from = scene.in_pixels(scene.corner(n)),
                  to = scene.in_pixels(scene.corner(n | bit));
      const Point middle = {(from.x + to.x) / 2, (from.y + to.y) / 2};
      if (a == 2 ? middle.x < best.x : middle.y > best.y) best = middle;
    }
    const double end = options.origin[a] + static_cast<double>(cells[a]) * options.spacing[a];
    const std::string begin =
        options.origin[a] == 0 ? "0" : quantity_text(options.origin[a], options.length_unit, 3);
    const std::string name =
        fmt::format("{}: {} to {}", "xyz"[a], begin, quantity_text(end, options.length_unit, 3));
    const bool is_right = a != 2 && best.x > static_cast<double>(scene.image.width) / 2;
    Point anchor = {shift.x + best.x + (is_right ? text : -text), shift.y + best.y};
    if (a != 2) anchor.y += 2 * text;
    if (is_right) anchor.x = std::min(anchor.x, canvas.width() - text * (1 + width_of(name)));
    canvas.draw_text(anchor, name,
                     {.size = text,
                      .align = a == 2     ? Align::center
                               : is_right ? Align::left
                                          : Align::right,
                      .direction = a == 2 ? Direction::up : Direction::right});
  }
}

void check(const Volume& volume, const std::vector<double>& levels) {
  const Index3& cells = volume.cells();
  require(std::min({cells[0], cells[1], cells[2]}) > 1, "no surface can be drawn",
          "there are " + text_of(cells) + " cells", "a surface needs two along each axis");
  require(!levels.empty(), "no surface can be drawn", "no value is given");
  float least = std::numeric_limits<float>::infinity(), largest = -least;
  for (const float value : volume.values()) {
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  for (const double level : levels) {
    require(level >= least && level <= largest, fmt::format("no surface of {} can be drawn", level),
            fmt::format("values are between {:.4g} and {:.4g}", least, largest));
  }
}

}  // namespace

std::string surface_picture(const ArrayView& values, const SurfacePictureOptions& options,
                            PictureFormat format) {
  require_pictures();
  const Volume volume(values);
  check(volume, options.levels);
  std::vector<Color> colors;
  for (std::size_t n = 0; n < options.levels.size(); ++n) {
    colors.push_back(series_color(static_cast<int>(n)));
  }
  Scene scene(volume, options);
  scene.draw_surfaces(colors);

  const double text = 14, margin = 2 * text, beside = 3 * text;
  const auto width = static_cast<double>(scene.image.width);
  const auto height = static_cast<double>(scene.image.height);
  const double canvas_width = width + beside + 2 * margin;
  const Heading heading(options.title, text, canvas_width - 2 * margin);
  const double legend = 2 * text * static_cast<double>(colors.size());
  const Point shift = {margin + beside, std::ceil(margin + heading.height() + legend)};
  Canvas canvas(format, std::ceil(canvas_width), std::ceil(shift.y + height + 3 * text + margin));
  canvas.draw_image(shift, scene.image);
  draw_edges(canvas, scene, shift);
  draw_names(canvas, scene, volume.cells(), options, shift, text);
  for (std::size_t n = 0; n < colors.size(); ++n) {
    const Point line = {margin + text, shift.y - legend + 2 * text * static_cast<double>(n) + text};
    canvas.fill_disc({line.x - 0.4 * text, line.y - 0.5 * text}, 0.5 * text, colors[n]);
    canvas.draw_text({line.x + 0.6 * text, line.y},
                     (options.name.empty() ? values.name : options.name) + " = " +
                         quantity_text(options.levels[n], options.unit, 4),
                     {.size = text});
  }
  heading.draw(canvas, canvas_width / 2, shift.y - legend);
  return canvas.finish();
}

void write_surface_picture(const std::filesystem::path& path, const ArrayView& values,
                           const SurfacePictureOptions& options) {
  write_file(path, surface_picture(values, options, picture_format(path)));
}

}  // namespace goban
