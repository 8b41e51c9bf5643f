#pragma once
// Planes and curves as text, for a terminal.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "goban/io/file/array_view.hpp"
#include "goban/io/picture/ansi_color.hpp"
#include "goban/io/picture/colormap.hpp"
#include "goban/io/picture/curve_picture.hpp"

namespace goban {

struct AnsiPictureOptions {
  std::string title = {};
  std::string name = {};  ///< name of the values; empty: the view's
  std::string unit = {};
  int component = 0;
  std::optional<std::pair<double, double>> range = {};  ///< as for slice_picture
  std::optional<Colormap> colormap = {};
  Real3 spacing = {1, 1, 1};
  TerminalSize size = {};  ///< the text is at most this wide and this high
  TerminalColor color = TerminalColor::none;
};

/// `plane` as lines of text with a key below: two values a character as half blocks in colour, or
/// one value a character from ' ' (low) to '@' (high) in plain ASCII, '?' for NaN.
std::string ansi_picture(const ArrayView& plane, const AnsiPictureOptions& options = {});

/// Curves as lines of text: dots of Braille in colour, or one letter a curve in plain ASCII. Title,
/// names, units, scales and ranges count; sizes in pixels do not.
std::string ansi_curve(const std::vector<Curve>& curves, const CurvePictureOptions& options,
                       TerminalSize size = {}, TerminalColor color = TerminalColor::none);

}  // namespace goban
