#pragma once
// What `goban view` shows, and how it was asked to.

#include <filesystem>
#include <string>
#include <vector>

#include "cli/context.hpp"
#include "goban/io/picture/curve_picture.hpp"
#include "goban/io/snapshot/snapshot.hpp"

namespace goban::cli {

struct ViewOptions {
  std::string file, field, axis, position, index, line, profile, colors, mask, streamlines, out;
  int component = 0;
  bool magnitude = false;
  std::vector<double> range, contours, isosurfaces, from = {30, 25};
  bool smooth = false;
  double vertical_exaggeration = 1, mask_value = 0;
  std::string live;                ///< "true", or where the page is; empty: there is none
  std::vector<std::string> given;  ///< "--axis": the options that were
};

/// Errors (usage): an option was given that means nothing for what is shown.
void require_fit(const ViewOptions& options, const std::string& what,
                 const std::vector<std::string>& fitting);

/// The parts between commas.
std::vector<std::string> parts_of(const std::string& text);

/// Shows one frame below the other; in a terminal frames are so high that all that it has room for
/// fill it. Returns the exit code, as the others do.
int show_curves(const Context& context, const ViewOptions& options, std::vector<CurveFrame> frames);
/// Shows columns of a .csv file over time or along a line.
int show_series(const Context& context, const ViewOptions& options,
                const std::filesystem::path& file);
/// Shows a plane, a line or a profile.
int show_snapshot(const Context& context, const ViewOptions& options,
                  const StoredSnapshot& snapshot);

}  // namespace goban::cli
