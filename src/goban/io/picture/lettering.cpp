#include "goban/io/picture/lettering.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace goban {
namespace {

// A glyph is a list of strokes parted by spaces. A point is two digits to base 36: x, then y + 4,
// so that the baseline is y = '4', capitals end at 'i' (14), small letters at 'e' (10) and
// descenders at '0'. A stroke is a broken line; '~' before it makes it a smooth curve between its
// ends that bends towards the points between, '*' a closed smooth curve. One point twice is a dot.
constexpr double capital_height = 14;
constexpr double letter_gap = 4.2;
constexpr double superscript_scale = 0.68;
constexpr double superscript_rise = 6.5;

constexpr std::array<const char*, 95> ascii = {
    /* space */ "",
    /* ! */ "0404 090i",
    /* " */ "0e0i 4e4i",
    /* # */ "244i 648i 08a8 0eae",
    /* $ */ "~8f8i0i0b9b940407 424k",
    /* % */ "*0i5i5d0d *69b9b464 049i",
    /* & */ "~a41e1i6i6d0a04648a",
    /* ' */ "0e0i",
    /* ( */ "~4k0g0440",
    /* ) */ "~0k4g4400",
    /* * */ "3c3i 0d6h 0h6d",
    /* + */ "0a8a 464e",
    /* , */ "1402",
    /* - */ "0a6a",
    /* . */ "0404",
    /* / */ "027j",
    /* 0 */ "*0i9i9404",
    /* 1 */ "1f5i54",
    /* 2 */ "~0e0i8i8d04 0494",
    /* 3 */ "~0f0i8i8b3b ~3b9b940407",
    /* 4 */ "747i0898",
    /* 5 */ "8i1i0b ~0b3d9d940407",
    /* 6 */ "*0c9c9404 ~7i0i08",
    /* 7 */ "0i9i34",
    /* 8 */ "*0b9b9404 *1i8i8b1b",
    /* 9 */ "*0i9i9a0a ~24949e",
    /* : */ "0404 0d0d",
    /* ; */ "1402 1d1d",
    /* < */ "8d0a87",
    /* = */ "0888 0c8c",
    /* > */ "0d8a07",
    /* ? */ "~0f0i8i8c4b48 4444",
    /* @ */ "~95050icic999d *3d9d9838",
    /* A */ "045ia4 2989",
    /* B */ "040i ~0i4i8i8b4b0b ~0b5b9b945404",
    /* C */ "~9f9i0i049497",
    /* D */ "040i ~0i4i9i944404",
    /* E */ "8i0i0484 0b7b",
    /* F */ "8i0i04 0b7b",
    /* G */ "~9f9i0i04949a 9a5a",
    /* H */ "040i 949i 0b9b",
    /* I */ "040i",
    /* J */ "~6i68640407",
    /* K */ "040i 8i09 3c94",
    /* L */ "0i0484",
    /* M */ "040i58aia4",
    /* N */ "040i949i",
    /* O */ "*0iaia404",
    /* P */ "040i ~0i5i9i9a5a0a",
    /* Q */ "*0iaia404 68a3",
    /* R */ "040i ~0i5i9i9a5a0a 5a94",
    /* S */ "~8f8i0i0b9b940407",
    /* T */ "0iai 545i",
    /* U */ "~0i090494999i",
    /* V */ "0i54ai",
    /* W */ "0i346g94ci",
    /* X */ "049i 0i94",
    /* Y */ "0i5bai 5b54",
    /* Z */ "0i9i0494",
    /* [ */ "3k0k0030",
    /* \ */ "0j72",
    /* ] */ "0k3k3000",
    /* ^ */ "0c4i8c",
    /* _ */ "0191",
    /* ` */ "0i3f",
    /* a */ "~1c1e8e8984 ~8a3a0a048488",
    /* b */ "040i ~0b0e8e840407",
    /* c */ "~8c8e0e048486",
    /* d */ "848i ~8b8e0e048487",
    /* e */ "0989 ~898e0e048486",
    /* f */ "~6i2i2e24 0e5e",
    /* g */ "~8e86800002 ~8b8e0e048487",
    /* h */ "040i ~0b0e8e8a84",
    /* i */ "040e 0h0h",
    /* j */ "~3e363000 3h3h",
    /* k */ "040i 7e08 2a84",
    /* l */ "~0i080434",
    /* m */ "040e ~0b0e6e6a64 ~6b6ececac4",
    /* n */ "040e ~0b0e8e8a84",
    /* o */ "*0e8e8404",
    /* p */ "000e ~0b0e8e840407",
    /* q */ "808e ~8b8e0e048487",
    /* r */ "040e ~0b0e5e",
    /* s */ "~7c7e0e0979740406",
    /* t */ "~2i282464 0e6e",
    /* u */ "~0e08048487 8e84",
    /* v */ "0e448e",
    /* w */ "0e346d94ce",
    /* x */ "048e 0e84",
    /* y */ "0e44 8e20",
    /* z */ "0e8e0484",
    /* { */ "~4k2k2a0a ~0a2a2040",
    /* | */ "000k",
    /* } */ "~0k2k2a4a ~4a2a2000",
    /* ~ */ "~092e658b",
};

struct Sign {
  std::uint32_t code;
  const char* strokes;
};
constexpr std::array<Sign, 5> signs = {{{0xb0, "*0i5i5d0d"},
                                        {0xb1, "0b8b 474f 0484"},
                                        {0xb5, "000e ~0e08048487 8e84"},
                                        {0xb7, "0a0a"},
                                        {0xd7, "177d 1d77"}}};
constexpr const char* unknown = "040i8i8404";

const char* glyph_of(std::uint32_t code) {
  if (code >= 32 && code < 127) return ascii[code - 32];
  for (const Sign& sign : signs)
    if (sign.code == code) return sign.strokes;
  return unknown;
}

int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/// Quadratic B-spline: it passes the middles of the polygon's sides and, if open, its ends.
Polyline smoothed(const Polyline& polygon, bool closed) {
  constexpr int pieces = 8;
  const std::size_t n = polygon.size();
  const auto middle = [](Point a, Point b) { return Point{(a.x + b.x) / 2, (a.y + b.y) / 2}; };
  Polyline curve;
  const std::size_t arcs = closed ? n : n - 2;
  for (std::size_t i = 0; i < arcs; ++i) {
    const Point before = polygon[closed ? (i + n - 1) % n : i];
    const Point control = polygon[closed ? i : i + 1];
    const Point after = polygon[closed ? (i + 1) % n : i + 2];
    const Point from = !closed && i == 0 ? before : middle(before, control);
    const Point to = !closed && i + 1 == arcs ? after : middle(control, after);
    for (int p = i == 0 ? 0 : 1; p <= pieces; ++p) {
      const double t = p / double{pieces};
      const double s = 1 - t;
      curve.push_back({s * s * from.x + 2 * s * t * control.x + t * t * to.x,
                       s * s * from.y + 2 * s * t * control.y + t * t * to.y});
    }
  }
  return curve;
}

struct Glyph {
  std::vector<Polyline> strokes;
  double width = 0;
};

Glyph shape_of(std::string_view code) {
  Glyph glyph;
  while (!code.empty()) {
    std::string_view stroke = code.substr(0, code.find(' '));
    code.remove_prefix(std::min(code.size(), stroke.size() + 1));
    const char kind = stroke.front();
    if (kind == '~' || kind == '*') stroke.remove_prefix(1);
    Polyline points;
    for (std::size_t i = 0; i + 1 < stroke.size(); i += 2) {
      points.push_back({double(digit(stroke[i])), double(digit(stroke[i + 1]) - 4)});
      glyph.width = std::max(glyph.width, points.back().x);
    }
    glyph.strokes.push_back(kind == '~' || kind == '*' ? smoothed(points, kind == '*') : points);
  }
  return glyph;
}

/// Calls put(code, superscript) for each character.
template <class Put>
void for_each_character(std::string_view text, Put&& put) {
  bool superscript = false;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    std::uint32_t code = lead;
    if (length == 2 && i + 1 < text.size())
      code = (lead & 0x1fu) << 6 | (static_cast<unsigned char>(text[i + 1]) & 0x3fu);
    else if (length > 2)
      code = 0xfffd;
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool starts = code == '^' && ((next >= '0' && next <= '9') || next == '-');
    const bool continues = (code >= '0' && code <= '9') || code == '-' || code == '.';
    i += length;
    if (starts) {
      superscript = true;
      continue;
    }
    if (!continues) superscript = false;
    if (code == 0xb2 || code == 0xb3) {
      put(code == 0xb2 ? '2' : '3', true);
    } else {
      put(code, superscript);
    }
  }
}

/// Digits are equally wide, so that numbers stand in columns.
double advance_of(std::uint32_t code, const Glyph& glyph) {
  if (code == ' ') return 6;
  if (code >= '0' && code <= '9') return 9 + letter_gap;
  return glyph.width + letter_gap;
}

}  // namespace

std::vector<Polyline> strokes_of(std::string_view text) {
  std::vector<Polyline> strokes;
  double x = 0;
  for_each_character(text, [&](std::uint32_t code, bool superscript) {
    Glyph glyph = shape_of(glyph_of(code));
    const double scale = superscript ? superscript_scale : 1;
    const double rise = superscript ? superscript_rise : 0;
    for (Polyline& stroke : glyph.strokes) {
      for (Point& point : stroke)
        point = {(x + scale * point.x) / capital_height, (rise + scale * point.y) / capital_height};
      strokes.push_back(std::move(stroke));
    }
    x += scale * advance_of(code, glyph);
  });
  return strokes;
}

double width_of(std::string_view text) {
  double x = 0;
  for_each_character(text, [&](std::uint32_t code, bool superscript) {
    x += (superscript ? superscript_scale : 1) * advance_of(code, shape_of(glyph_of(code)));
  });
  return std::max(0.0, x - letter_gap) / capital_height;
}

}  // namespace goban
