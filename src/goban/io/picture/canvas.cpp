#include "goban/io/picture/canvas.hpp"

#include <algorithm>

#include "goban/base/error.hpp"

namespace goban {

const char* name_of(PictureFormat format) {
  constexpr const char* names[] = {"png", "svg", "pdf"};
  return names[static_cast<int>(format)];
}

std::optional<PictureFormat> picture_format_named(std::string_view name) {
  for (const PictureFormat format : {PictureFormat::png, PictureFormat::svg, PictureFormat::pdf}) {
    if (name == name_of(format)) return format;
  }
  return {};
}

PictureFormat picture_format(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();  // ".png", or nothing
  const auto format = picture_format_named(ending.substr(std::min<std::size_t>(1, ending.size())));
  if (format) return *format;
  throw Error(ExitCode::usage, "a picture " + path.string() + " is refused",
              "pictures are PNG, SVG or PDF files",
              "choose a name that ends in .png, .svg or .pdf");
}

}  // namespace goban

#ifdef GOBAN_HAVE_CAIRO
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <cstdint>
#include <cstring>
#include <numbers>

#include "goban/base/printable.hpp"

namespace goban {
namespace {

struct FreeFont {
  void operator()(cairo_scaled_font_t* font) const { cairo_scaled_font_destroy(font); }
};
using Font = std::unique_ptr<cairo_scaled_font_t, FreeFont>;

constexpr double font_size = 100;

/// Letters as they are designed, so that a text is as long in every format.
struct FontOptions {
  cairo_font_options_t* options = cairo_font_options_create();
  FontOptions() {
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  }
  ~FontOptions() { cairo_font_options_destroy(options); }
  FontOptions(const FontOptions&) = delete;
  FontOptions& operator=(const FontOptions&) = delete;
};

cairo_scaled_font_t* font_of(Weight weight) {
  const auto make = [](cairo_font_weight_t value) {
    cairo_font_face_t* face =
        cairo_toy_font_face_create("sans-serif", CAIRO_FONT_SLANT_NORMAL, value);
    cairo_matrix_t size, plain;
    cairo_matrix_init_scale(&size, font_size, font_size);
    cairo_matrix_init_identity(&plain);
    Font font(cairo_scaled_font_create(face, &size, &plain, FontOptions().options));
    cairo_font_face_destroy(face);
    return font;
  };
  static const Font plain = make(CAIRO_FONT_WEIGHT_NORMAL), bold = make(CAIRO_FONT_WEIGHT_BOLD);
  return (weight == Weight::bold ? bold : plain).get();
}

cairo_text_extents_t extents_of(const std::string& text, Weight weight) {
  cairo_text_extents_t extents{};
  cairo_scaled_font_text_extents(font_of(weight), text.c_str(), &extents);
  return extents;
}

/// Size of the font for capitals 1 high.
double size_for_capitals() {
  static const double size = [] {
    const double height = extents_of("H", Weight::plain).height;
    require(height > 0, "pictures cannot be drawn", "no font is installed",
            "install fonts-dejavu-core");
    return font_size / height;
  }();
  return size;
}

constexpr double raised_scale = 0.68;
constexpr double rise = 0.46;  ///< heights of a capital

/// A part of a text on the line, or raised above it.
struct Run {
  std::string text;
  bool is_raised = false;
};

/// "10^-3 m" is "10", "-3" raised, " m".
std::vector<Run> runs_of(std::string_view text) {
  std::vector<Run> runs(1);
  const std::string plain = printable(text);
  for (std::size_t n = 0; n < plain.size(); ++n) {
    const auto is_of_number = [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == '.'; };
    const char next = n + 1 < plain.size() ? plain[n + 1] : ' ';
    if (plain[n] == '^' && is_of_number(next) && next != '.') {
      runs.push_back({.text = "", .is_raised = true});
      continue;
    }
    if (runs.back().is_raised && !is_of_number(plain[n])) runs.emplace_back();
    runs.back().text += plain[n];
  }
  return runs;
}

double width_of(const Run& run, Weight weight) {
  const double width = extents_of(run.text, weight).x_advance / font_size * size_for_capitals();
  return run.is_raised ? raised_scale * width : width;
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int count) {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), count);
  } catch (...) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

constexpr double points_per_pixel = 0.75;

}  // namespace

void require_pictures() {}

double width_of(std::string_view text, Weight weight) {
  double width = 0;
  for (const Run& run : runs_of(text)) width += width_of(run, weight);
  return width;
}

struct Canvas::Pen {
  PictureFormat format;
  std::string bytes = {};
  cairo_surface_t* surface = nullptr;
  cairo_t* cairo = nullptr;

  Pen(PictureFormat format_, double width, double height) : format(format_) {
    if (format == PictureFormat::png) {
      surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width),
                                           static_cast<int>(height));
    } else if (format == PictureFormat::svg) {
      surface = cairo_svg_surface_create_for_stream(append, &bytes, width, height);
      cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    } else {
      surface = cairo_pdf_surface_create_for_stream(append, &bytes, width * points_per_pixel,
                                                    height * points_per_pixel);
    }
    cairo = cairo_create(surface);
    if (format == PictureFormat::pdf) cairo_scale(cairo, points_per_pixel, points_per_pixel);
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_font_options(cairo, FontOptions().options);
  }
  ~Pen() {
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
  }
  void set(Color color) {
    cairo_set_source_rgb(cairo, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
  }
  void follow(const Polyline& line) {
    for (std::size_t n = 0; n < line.size(); ++n) {
      (n == 0 ? cairo_move_to : cairo_line_to)(cairo, line[n].x, line[n].y);
    }
  }
  void check() const {
    for (const cairo_status_t status : {cairo_status(cairo), cairo_surface_status(surface)}) {
      if (status == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
      require(status == CAIRO_STATUS_SUCCESS || status == CAIRO_STATUS_SURFACE_FINISHED,
              "a picture cannot be drawn", cairo_status_to_string(status));
    }
  }
};

Canvas::Canvas(PictureFormat format, double width, double height)
    : pen_(std::make_unique<Pen>(format, width, height)), width_(width), height_(height) {
  pen_->check();
  fill_rectangle(0, 0, width, height, {255, 255, 255});
}

Canvas::~Canvas() = default;

void Canvas::fill_rectangle(double left, double top, double right, double bottom, Color color) {
  pen_->set(color);
  cairo_rectangle(pen_->cairo, left, top, right - left, bottom - top);
  cairo_fill(pen_->cairo);
}

void Canvas::fill_disc(Point center, double radius, Color color) {
  pen_->set(color);
  cairo_arc(pen_->cairo, center.x, center.y, radius, 0, 2 * std::numbers::pi);
  cairo_fill(pen_->cairo);
}

void Canvas::fill_polygon(const Polyline& corners, Color color) {
  pen_->set(color);
  pen_->follow(corners);
  cairo_fill(pen_->cairo);
}

void Canvas::draw_lines(const std::vector<Polyline>& lines, double thickness, Color color,
                        const std::vector<double>& dashes) {
  pen_->set(color);
  for (const Polyline& line : lines) pen_->follow(line);
  cairo_set_line_width(pen_->cairo, thickness);
  cairo_set_dash(pen_->cairo, dashes.data(), static_cast<int>(dashes.size()), 0);
  cairo_stroke(pen_->cairo);
}

void Canvas::draw_text(Point anchor, std::string_view text, const TextStyle& style) {
  if (text.empty() || !(style.size > 0)) return;
  cairo_t* cairo = pen_->cairo;
  const double share = style.align == Align::left ? 0 : style.align == Align::center ? 0.5 : 1;
  cairo_save(cairo);
  pen_->set(style.color);
  cairo_translate(cairo, anchor.x, anchor.y);
  if (style.direction == Direction::up) cairo_rotate(cairo, -std::numbers::pi / 2);
  cairo_select_font_face(
      cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
      style.weight == Weight::bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  double along = -share * goban::width_of(text, style.weight) * style.size;
  for (const Run& run : runs_of(text)) {
    const double scale = run.is_raised ? raised_scale : 1;
    cairo_set_font_size(cairo, scale * size_for_capitals() * style.size);
    cairo_move_to(cairo, along, run.is_raised ? -rise * style.size : 0);
    cairo_show_text(cairo, run.text.c_str());
    along += width_of(run, style.weight) * style.size;
  }
  cairo_restore(cairo);
}

void Canvas::draw_image(Point corner, const Image& image) {
  const auto width = static_cast<int>(image.width), height = static_cast<int>(image.height);
  cairo_surface_t* pixels = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  unsigned char* const rows = cairo_image_surface_get_data(pixels);
  const auto row_bytes = static_cast<Index>(cairo_image_surface_get_stride(pixels));
  for (Index y = 0; rows != nullptr && y < image.height; ++y) {
    for (Index x = 0; x < image.width; ++x) {
      const std::uint8_t* from = image.at(x, y);
      const std::uint32_t color = static_cast<std::uint32_t>(from[0]) << 16 |
                                  static_cast<std::uint32_t>(from[1]) << 8 | from[2];
      std::memcpy(rows + y * row_bytes + 4 * x, &color, 4);
    }
  }
  cairo_surface_mark_dirty(pixels);
  cairo_set_source_surface(pen_->cairo, pixels, corner.x, corner.y);
  cairo_pattern_set_filter(cairo_get_source(pen_->cairo), CAIRO_FILTER_NEAREST);
  cairo_paint(pen_->cairo);
  cairo_surface_destroy(pixels);
}

std::string Canvas::finish() {
  if (pen_->format == PictureFormat::png) {
    cairo_surface_flush(pen_->surface);
    pen_->check();
    const cairo_status_t written =
        cairo_surface_write_to_png_stream(pen_->surface, append, &pen_->bytes);
    require(written == CAIRO_STATUS_SUCCESS, "a picture cannot be drawn",
            cairo_status_to_string(written));
  } else {
    cairo_surface_finish(pen_->surface);
    pen_->check();
  }
  return std::move(pen_->bytes);
}

}  // namespace goban

#else

namespace goban {

struct Canvas::Pen {};

void require_pictures() {
  throw Error(ExitCode::usage, "pictures cannot be drawn", "this goban was built without cairo",
              "install libcairo2-dev and build it again");
}

double width_of(std::string_view text, Weight) { return 0.9 * static_cast<double>(text.size()); }

Canvas::Canvas(PictureFormat, double width, double height) : width_(width), height_(height) {
  require_pictures();
}
Canvas::~Canvas() = default;
void Canvas::fill_rectangle(double, double, double, double, Color) {}
void Canvas::fill_disc(Point, double, Color) {}
void Canvas::fill_polygon(const Polyline&, Color) {}
void Canvas::draw_lines(const std::vector<Polyline>&, double, Color, const std::vector<double>&) {}
void Canvas::draw_text(Point, std::string_view, const TextStyle&) {}
void Canvas::draw_image(Point, const Image&) {}
std::string Canvas::finish() { return {}; }

}  // namespace goban
#endif
