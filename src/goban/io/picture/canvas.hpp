#pragma once
// Drawing a picture: smooth lines, filled shapes, pixels and text, as PNG, SVG or PDF. The library
// behind it is cairo, without which goban may be built: then it draws none.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "goban/io/image/image.hpp"

namespace goban {

struct Point {
  double x = 0;
  double y = 0;
};
using Polyline = std::vector<Point>;

enum class PictureFormat { png, svg, pdf };

/// "png", "svg", "pdf": in case files, and after the dot of a file's name.
const char* name_of(PictureFormat format);
std::optional<PictureFormat> picture_format_named(std::string_view name);
/// What the name of a file ends in. Error(usage) for other endings.
PictureFormat picture_format(const std::filesystem::path& path);

/// Error(usage) if this goban cannot draw.
void require_pictures();

enum class Align { left, center, right };
enum class Direction { right, up };
enum class Weight { plain, bold };

struct TextStyle {
  double size = 12;  ///< height of a capital, pixels
  Color color = {30, 30, 34};
  Align align = Align::left;
  Direction direction = Direction::right;
  Weight weight = Weight::plain;
};

/// Length of one line of text in heights of a capital. "m^2" and "10^-3" are set as superscripts.
double width_of(std::string_view text, Weight weight = Weight::plain);

/// A white picture with a pen. Coordinates are pixels from its top left corner; the centre of the
/// first pixel is (0.5, 0.5). What scales (SVG, PDF) is as large as that many pixels at 96 dpi.
class Canvas {
 public:
  /// Error(usage) if this goban cannot draw.
  Canvas(PictureFormat format, double width, double height);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  double width() const { return width_; }
  double height() const { return height_; }

  void fill_rectangle(double left, double top, double right, double bottom, Color color);
  void fill_disc(Point center, double radius, Color color);
  void fill_polygon(const Polyline& corners, Color color);
  /// Lines with round ends and joints; overlaps of the lines given together are painted once.
  /// `dashes`: lengths of ink and gap in turn; empty: no gaps.
  void draw_lines(const std::vector<Polyline>& lines, double thickness, Color color,
                  const std::vector<double>& dashes = {});
  /// The baseline starts, is centred or ends at `anchor`.
  void draw_text(Point anchor, std::string_view text, const TextStyle& style);
  /// An RGB image, a pixel for a pixel, its top left corner at `corner`.
  void draw_image(Point corner, const Image& image);

  /// The bytes of the file; nothing can be drawn after that.
  std::string finish();

 private:
  struct Pen;
  std::unique_ptr<Pen> pen_;
  double width_, height_;
};

}  // namespace goban
