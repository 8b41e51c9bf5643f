#pragma once
// Lines through numbers: time series, profiles, scaling curves.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/io/picture/axes.hpp"

namespace goban {

enum class CurveStyle { line, dashed, points, line_and_points };

/// Points (x[n], y[n]) in the order of the line. What is not a number, or not positive on a
/// logarithmic axis, is a gap in it.
struct Curve {
  std::string label = {};  ///< the name in the legend; empty: not there
  std::vector<double> x;
  std::vector<double> y;
  CurveStyle style = CurveStyle::line;
};

struct CurvePictureOptions {
  std::string title = {};
  std::string x_name = {};
  std::string x_unit = {};
  std::string y_name = {};
  std::string y_unit = {};
  AxisScale x_scale = AxisScale::linear;
  AxisScale y_scale = AxisScale::linear;
  /// Otherwise what the points span, and a little more upwards and downwards.
  std::optional<std::pair<double, double>> x_range = {};
  std::optional<std::pair<double, double>> y_range = {};
  Index width = 900;  ///< pixels of the whole frame, 300 to 8000
  Index height = 600;
};

/// A plot of a picture that may have several.
struct CurveFrame {
  std::vector<Curve> curves;
  CurvePictureOptions options = {};
};

/// The bytes of a file, with the frames one below the other. Error(usage) if a curve has not as
/// many x as y, or a range is empty (on a logarithmic axis also if it is not positive).
std::string curve_picture(const std::vector<CurveFrame>& frames, PictureFormat format);

/// The same as a file, in the format that its name ends in.
void write_curve_picture(const std::filesystem::path& path, const std::vector<CurveFrame>& frames);

}  // namespace goban
