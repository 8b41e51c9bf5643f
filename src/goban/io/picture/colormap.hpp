#pragma once
// Colours for numbers. The maps are paths through the OKLab colour space, in which equal steps look
// equal: lightness is linear in the value, so the maps survive grey printing.

#include <array>
#include <optional>
#include <string_view>

#include "goban/io/image/image.hpp"

namespace goban {

enum class Colormap {
  sequential,  ///< dark violet, blue, green, yellow
  thermal,     ///< black, purple, red, orange, light yellow
  diverging,   ///< blue, white, red
  grey,        ///< black, white
  stones       ///< the wood of a board, black stones
};

/// The names in case files: "sequential", "thermal", "diverging", "grey", "stones".
const char* name_of(Colormap map);
std::optional<Colormap> colormap_named(std::string_view name);

/// The colour at 0 <= t <= 1; t outside is clamped, NaN gives the colour at 0.
Color color_at(Colormap map, double t);

/// Distinct colours for curves and labels, also for colour-blind readers; repeats after eight.
Color series_color(int index);

}  // namespace goban
