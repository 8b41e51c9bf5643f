#pragma once
// Drawing into an image: smooth lines, filled shapes and text.

#include <string_view>

#include "goban/io/image/image.hpp"
#include "goban/io/picture/lettering.hpp"

namespace goban {

enum class Align { left, center, right };
enum class Direction { right, up };

struct TextStyle {
  double size = 12;  ///< height of a capital, pixels
  Color color = {30, 30, 34};
  Align align = Align::left;
  Direction direction = Direction::right;
  double weight = 1;  ///< of the strokes, relative
};

/// An RGB image with a pen. Coordinates are pixels from the top left corner of the image; the
/// centre of the first pixel is (0.5, 0.5).
class Canvas {
 public:
  Canvas(Index width, Index height) : image_(width, height, 3) {}

  void fill_rectangle(double left, double top, double right, double bottom, Color color);
  void fill_disc(Point center, double radius, Color color);
  void fill_triangle(Point a, Point b, Point c, Color color);
  /// Lines with round ends and joints; overlaps of the lines given together are painted once.
  void draw_lines(const std::vector<Polyline>& lines, double thickness, Color color);
  /// The baseline starts, is centred or ends at `anchor`.
  void draw_text(Point anchor, std::string_view text, const TextStyle& style);

  Image& image() { return image_; }
  const Image& image() const { return image_; }

 private:
  /// Paints the pixel at (x, y) where `coverage` of it is covered.
  void blend(Index x, Index y, Color color, double coverage);

  Image image_;
};

}  // namespace goban
