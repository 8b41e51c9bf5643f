#include "goban/io/picture/colormap.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace goban {
namespace {

constexpr int levels = 256;
using Table = std::array<Color, levels>;

/// Lightness 0..1, chroma 0..0.3, hue in degrees: polar coordinates of OKLab.
struct Tone {
  double lightness;
  double chroma;
  double hue;
};

struct LinearColor {
  double red, green, blue;
  bool in_gamut() const {
    const auto [low, high] = std::minmax({red, green, blue});
    return low >= -1e-6 && high <= 1 + 1e-6;
  }
};

/// B. Ottosson, "A perceptual color space for image processing" (2020): OKLab to linear sRGB.
LinearColor linear_of(const Tone& tone) {
  const double angle = tone.hue * std::numbers::pi / 180;
  const double a = tone.chroma * std::cos(angle);
  const double b = tone.chroma * std::sin(angle);
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(tone.lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(tone.lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(tone.lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

std::uint8_t encoded(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  const double gamma = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * gamma));
}

/// The nearest colour a screen shows with this lightness and hue.
Color color_of(Tone tone) {
  double low = 0;
  if (!linear_of(tone).in_gamut()) {
    double high = tone.chroma;
    for (int i = 0; i < 30; ++i) {
      tone.chroma = (low + high) / 2;
      (linear_of(tone).in_gamut() ? low : high) = tone.chroma;
    }
    tone.chroma = low;
  }
  const LinearColor color = linear_of(tone);
  return {encoded(color.red), encoded(color.green), encoded(color.blue)};
}

double between(double from, double to, double t) { return from + (to - from) * t; }

// The chroma stays below what a screen can show along the whole path: clipping it would put a
// visible edge into the map where there is none in the data.

Tone sequential(double t) {
  const double d = t - 0.45;
  return {between(0.26, 0.93, t), 0.097 + (d < 0 ? 0.17 : 0.29) * d * d, between(308, 106, t)};
}

Tone thermal(double t) {
  const double d = (t - 0.45) / 0.55;
  const double chroma =
      t < 0.45 ? 0.05 + 0.108 * std::sin(std::numbers::pi / 2 * t / 0.45) : 0.158 - 0.04 * d * d;
  return {between(0.10, 0.975, t), chroma, between(-65, 108, std::pow(t, 0.85))};
}

Tone diverging(double t) {
  const double d = std::abs(2 * t - 1);
  const bool warm = t > 0.5;
  return {0.985 - (warm ? 0.50 : 0.54) * d, (warm ? 0.19 : 0.17) * std::pow(d, 0.9),
          warm ? between(40, 25, d) : between(240, 262, d)};
}

Tone grey(double t) { return {t, 0, 0}; }

Color stones(double t) {
  const Color board = {226, 184, 110};
  const Color stone = {28, 26, 30};
  const auto mix = [&](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(between(from, to, t)));
  };
  return {mix(board.red, stone.red), mix(board.green, stone.green), mix(board.blue, stone.blue)};
}

template <class ColorAt>
Table table_of(ColorAt color_at_level) {
  Table table;
  for (int i = 0; i < levels; ++i) table[i] = color_at_level(i / double{levels - 1});
  return table;
}

const Table& table_of(Colormap map) {
  static const std::array<Table, 5> tables = {
      table_of([](double t) { return color_of(sequential(t)); }),
      table_of([](double t) { return color_of(thermal(t)); }),
      table_of([](double t) { return color_of(diverging(t)); }),
      table_of([](double t) { return color_of(grey(t)); }), table_of(stones)};
  return tables[static_cast<std::size_t>(map)];
}

constexpr std::array<const char*, 5> names = {"sequential", "thermal", "diverging", "grey",
                                              "stones"};

}  // namespace

const char* name_of(Colormap map) { return names[static_cast<std::size_t>(map)]; }

std::optional<Colormap> colormap_named(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return static_cast<Colormap>(i);
  return std::nullopt;
}

Color color_at(Colormap map, double t) {
  const double clamped = t > 0 ? std::min(t, 1.0) : 0.0;
  return table_of(map)[static_cast<std::size_t>(std::lround(clamped * (levels - 1)))];
}

Color series_color(int index) {
  // Neighbours differ in lightness as well as in hue.
  constexpr std::array<Tone, 8> tones = {{{0.45, 0.16, 260},
                                          {0.66, 0.19, 45},
                                          {0.55, 0.13, 160},
                                          {0.45, 0.20, 350},
                                          {0.74, 0.12, 225},
                                          {0.78, 0.16, 90},
                                          {0.40, 0.12, 310},
                                          {0.50, 0.00, 0}}};
  return color_of(tones[static_cast<std::size_t>(index) % tones.size()]);
}

}  // namespace goban
