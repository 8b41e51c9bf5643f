// Rock from SEG-Y volumes that the test writes byte by byte.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "goban/grid/each_cell.hpp"
#include "goban/io/case/read.hpp"
#include "seismic/keys.hpp"
#include "seismic/rock_files.hpp"
#include "seismic/segy.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::seismic::seismic_segy_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A volume of values that floats of both kinds hold exactly.
struct Volume {
  Index3 cells = {4, 3, 5};
  int format = 5;  ///< 1: IBM
  bool is_little = false;
  bool is_inline_fast = false;  ///< inline numbers change from trace to trace
  int revision = 1, texts = 0;
  int first_inline = 100, inline_step = 1, first_crossline = 7, crossline_step = 2;
  Index inline_byte = 189, crossline_byte = 193;
  std::function<double(Index3)> value = [](Index3 cell) {
    return 1500 + static_cast<double>(100 * cell[0] + 10 * cell[1] + cell[2]) / 8;
  };

  std::uint32_t bits_of(double x) const {
    if (format == 5) return std::bit_cast<std::uint32_t>(static_cast<float>(x));
    if (x == 0) return 0;
    int exponent = 64;
    double fraction = std::abs(x);
    for (; fraction >= 1; fraction /= 16) ++exponent;
    for (; fraction < 1.0 / 16; fraction *= 16) --exponent;
    return (x < 0 ? 0x80000000U : 0U) | static_cast<std::uint32_t>(exponent) << 24 |
           static_cast<std::uint32_t>(std::lround(fraction * 0x1p24));
  }
  void put(std::string& bytes, std::size_t at, std::uint32_t value_, int size) const {
    for (int n = 0; n < size; ++n) {
      const int shift = 8 * (is_little ? n : size - 1 - n);
      bytes[at + static_cast<std::size_t>(n)] = static_cast<char>(value_ >> shift & 0xff);
    }
  }

  std::string header() const {
    std::string bytes(static_cast<std::size_t>(3600 + 3200 * texts), ' ');
    std::fill(bytes.begin() + 3200, bytes.begin() + 3600, '\0');
    put(bytes, 3220, static_cast<std::uint32_t>(revision < 2 ? cells[2] : 0), 2);
    put(bytes, 3224, static_cast<std::uint32_t>(format), 2);
    if (revision >= 2) {
      put(bytes, 3268, static_cast<std::uint32_t>(cells[2]), 4);
      put(bytes, 3296, 16909060, 4);
    }
    bytes[3500] = static_cast<char>(revision);
    put(bytes, 3504, static_cast<std::uint32_t>(texts), 2);
    return bytes;
  }
  std::string trace(Index crossline, Index inline_number) const {
    std::string bytes(static_cast<std::size_t>(240 + 4 * cells[2]), '\0');
    const auto number = [](int first, int step, Index n) {
      return static_cast<std::uint32_t>(first + step * static_cast<int>(n));
    };
    put(bytes, static_cast<std::size_t>(inline_byte - 1),
        number(first_inline, inline_step, inline_number), 4);
    put(bytes, static_cast<std::size_t>(crossline_byte - 1),
        number(first_crossline, crossline_step, crossline), 4);
    // Cells grow with the numbers.
    const Index i = crossline_step < 0 ? cells[0] - 1 - crossline : crossline;
    const Index j = inline_step < 0 ? cells[1] - 1 - inline_number : inline_number;
    for (Index k = 0; k < cells[2]; ++k) {
      put(bytes, static_cast<std::size_t>(240 + 4 * k), bits_of(value({i, j, k})), 4);
    }
    return bytes;
  }
  std::vector<std::string> traces() const {
    std::vector<std::string> all;
    const Index outer = is_inline_fast ? cells[0] : cells[1];
    const Index inner = is_inline_fast ? cells[1] : cells[0];
    for (Index m = 0; m < outer; ++m) {
      for (Index n = 0; n < inner; ++n) {
        all.push_back(is_inline_fast ? trace(m, n) : trace(n, m));
      }
    }
    return all;
  }
};

class SeismicSegy : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& header,
                 const std::vector<std::string>& traces) const {
    std::string bytes = header;
    for (const std::string& trace : traces) bytes += trace;
    return folder_.store(name, bytes);
  }
  fs::path write(const std::string& name, const Volume& volume) const {
    return write(name, volume.header(), volume.traces());
  }

 private:
  const test::ScratchFolder folder_;
};

void expect_values(const Volume& volume, const fs::path& path) {
  ImageWindow window(open_segy(path, volume.cells, {volume.inline_byte, volume.crossline_byte}));
  const Box all{{0, 0, 0}, volume.cells};
  for (const Box& box :
       {all, Box{{1, 0, 2}, {3, 3, 4}}, Box{{2, 1, 0}, {3, 2, 1}}, Box{{2, 1, 1}, {3, 2, 5}}}) {
    const Box part = intersection(all, box);
    if (part.empty()) continue;
    window.show(part);
    each_cell(part, [&](Index3 cell) { ASSERT_EQ(window.at(cell), volume.value(cell)); });
  }
}

TEST_F(SeismicSegy, EveryOrderAndFormat_HasTheSameValues) {
  for (const int format : {1, 5}) {
    for (const bool is_inline_fast : {false, true}) {
      for (const int step : {1, -3}) {
        Volume volume{.format = format, .is_inline_fast = is_inline_fast, .inline_step = step};
        volume.crossline_step = -step;
        expect_values(volume, write("volume.sgy", volume));
        volume.is_little = true;
        expect_values(volume, write("volume.sgy", volume));
        volume.revision = 2;
        volume.texts = 2;
        expect_values(volume, write("volume.sgy", volume));
      }
    }
  }
  Volume elsewhere{.revision = 0, .inline_byte = 9, .crossline_byte = 21};
  expect_values(elsewhere, write("volume.sgy", elsewhere));
  for (const Index3 cells : {Index3{1, 3, 4}, Index3{3, 1, 4}, Index3{1, 1, 4}}) {
    const Volume thin{.cells = cells};
    expect_values(thin, write("volume.sgy", thin));
  }
}

TEST_F(SeismicSegy, FloatsOfIbm_AreThoseOfTheirDefinition) {
  Volume volume{.cells = {1, 1, 4}, .format = 1};
  std::string trace = volume.trace(0, 0);
  const std::uint32_t bits[] = {0xc276a000, 0x42640000, 0x00000000, 0x41100000};
  for (std::size_t n = 0; n < 4; ++n) volume.put(trace, 240 + 4 * n, bits[n], 4);
  ImageWindow window(open_segy(write("ibm.sgy", volume.header(), {trace}), volume.cells));
  window.show({{0, 0, 0}, volume.cells});
  const double values[] = {-118.625, 100, 0, 1};
  for (Index n = 0; n < 4; ++n) EXPECT_EQ(window.at({0, 0, n}), values[n]);
}

/// What opening it and reading all of it says.
std::string error_of(const fs::path& path, Index3 cells) {
  return test::error_of([&] { open_segy(path, cells)->read({{0, 0, 0}, cells}); });
}

TEST_F(SeismicSegy, WhatIsNoSuchVolume_IsRefusedInOneLine) {
  const Volume volume;
  const auto traces = volume.traces();
  EXPECT_THAT(error_of(write("wrong.sgy", volume), {4, 3, 6}),
              HasSubstr("it has 12 traces of 5 samples, the grid 4 x 3 columns of 6 cells"));
  EXPECT_THAT(error_of(write("wrong.sgy", "short", {}), volume.cells),
              HasSubstr("5 bytes are too few for SEG-Y"));
  auto cut = traces;
  cut.back().pop_back();
  EXPECT_THAT(error_of(write("wrong.sgy", volume.header(), cut), volume.cells),
              HasSubstr("no whole number of traces of 5 samples"));
  auto swapped = traces;
  std::swap(swapped[5], swapped[6]);
  EXPECT_THAT(error_of(write("wrong.sgy", volume.header(), swapped), volume.cells),
              HasSubstr("trace 6 is of inline 101 and crossline 11, where 101 and 9 come next"));
  const Volume turned{.cells = {3, 4, 5}};
  EXPECT_THAT(error_of(write("wrong.sgy", turned), volume.cells), HasSubstr("come next"));
  const Volume elsewhere{.inline_byte = 9, .crossline_byte = 21};
  EXPECT_THAT(error_of(write("wrong.sgy", elsewhere), volume.cells),
              HasSubstr("bytes 189 and 193 of the headers of its traces number no lines"));
  const Volume integers{.format = 2};
  EXPECT_THAT(error_of(write("wrong.sgy", integers), volume.cells),
              HasSubstr("its samples have the format 2"));
  const Volume endless{.texts = 65535};
  auto header = endless.header();
  header.resize(3600);
  EXPECT_THAT(error_of(write("wrong.sgy", header, traces), volume.cells),
              HasSubstr("nothing says how many text headers it has"));
}

TEST_F(SeismicSegy, TheMediumOfACase_ComesFromIt) {
  const Index3 cells = {4, 3, 40};
  Volume vp{.cells = cells}, vs{.cells = cells, .format = 1}, density{.cells = cells};
  vp.value = [](Index3 cell) { return 4000 + static_cast<double>(16 * cell[0] + cell[2]); };
  vs.value = [](Index3 cell) { return 2000 + static_cast<double>(cell[1]); };
  density.value = [](Index3 cell) { return 2500 + static_cast<double>(cell[2]) / 4; };
  vp.inline_byte = vs.inline_byte = density.inline_byte = 9;
  CaseSchema schema;
  declare_keys(schema);
  const Case values = parse_case(
      schema,
      "app = \"seismic\"\n[grid]\ncells = [4, 3, 40]\n[time]\nsteps = 1\n[medium]\nvp = \"" +
          write("vp.sgy", vp).string() + "\"\nvs = \"" + write("vs.SEGY", vs).string() +
          "\"\ndensity = \"" + write("density.segy", density).string() + "\"\ninline_byte = 9\n",
      "waves.toml", {});
  RockFiles files(values);
  const SpeedRange range = files.speeds(*self_communicator());
  EXPECT_EQ(range.fastest, 4000 + 48 + 39);
  EXPECT_EQ(range.slowest, 2000);
  const Box box{{0, 0, 0}, cells};
  files.show(box);
  each_cell(box, [&](Index3 cell) {
    const Rock rock = files.at(cell);
    ASSERT_EQ(rock.vp, vp.value(cell));
    ASSERT_EQ(rock.vs, vs.value(cell));
    ASSERT_EQ(rock.density, density.value(cell));
  });
}

}  // namespace
}  // namespace goban::seismic::seismic_segy_test
