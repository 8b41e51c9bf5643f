#pragma once
// Curve pictures that scale: the same curves as curve_picture draws, as SVG.

#include <filesystem>
#include <string>
#include <vector>

#include "goban/io/picture/curve_picture.hpp"

namespace goban {

/// Errors as of curve_picture.
std::string curve_svg(const std::vector<Curve>& curves, const CurvePictureOptions& options = {});

/// The same, written as a file.
void write_curve_svg(const std::filesystem::path& path, const std::vector<Curve>& curves,
                     const CurvePictureOptions& options = {});

}  // namespace goban
