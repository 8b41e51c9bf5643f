#include "seismic/segy_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace goban::seismic {
namespace {

/// Bytes of a header, numbered from 1 as the standard does; big endian.
class Header {
 public:
  explicit Header(std::size_t bytes) : bytes_(bytes, '\0') {}

  void set16(std::size_t byte, Index value) { put(byte, static_cast<std::uint64_t>(value), 2); }
  void set32(std::size_t byte, Index value) { put(byte, static_cast<std::uint64_t>(value), 4); }
  void set_real(std::size_t byte, double value) {
    put(byte, std::bit_cast<std::uint64_t>(value), 8);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void put(std::size_t byte, std::uint64_t value, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
      bytes_[byte - 1 + n] = static_cast<char>(value >> 8 * (count - 1 - n) & 0xff);
    }
  }
  std::string bytes_;
};

constexpr Index most_short = 65535;

/// Where a field of 16 bits is too short it says 0, and a longer one holds the number.
Index if_short(Index value) { return value <= most_short ? value : 0; }

/// A scale factor as headers have it: a power of ten that values were multiplied by.
class Scale {
 public:
  /// The largest from 10000 down that keeps values of this magnitude in a field.
  Scale(double largest, double most) {
    while (power_ > least && largest * factor() > most) --power_;
  }
  double factor() const { return std::pow(10, power_); }
  Index of(double value) const { return std::llround(value * factor()); }
  /// As a header says how to undo it: a divisor is negative.
  Index code() const { return power_ > 0 ? -std::llround(factor()) : std::llround(1 / factor()); }

 private:
  static constexpr int least = -4;
  int power_ = 4;
};

std::vector<Real3> positions(const SegyGather& gather) {
  std::vector<Real3> all;
  for (const SegyGather::Trace& trace : gather.traces) all.push_back(trace.position);
  if (gather.source) all.push_back(*gather.source);
  return all;
}

Scale length_scale(const SegyGather& gather) {
  double largest = 0;
  for (const Real3& position : positions(gather)) {
    for (const double x : position) largest = std::max(largest, std::abs(x));
  }
  return {largest, std::numeric_limits<std::int32_t>::max()};
}

Index microseconds(const SegyGather& gather) { return std::llround(1e6 * gather.interval); }

/// 40 lines of 80 characters.
std::string text_of(const SegyGather& gather) {
  const std::vector<std::string> lines = {
      gather.title, std::string("component ") + "xyz"[index_of(gather.axis)] + ", z is down",
      "SEG-Y REV2.0"};
  std::string text;
  for (std::size_t n = 0; n < 40; ++n) {
    std::string line = fmt::format("C{:2} ", n + 1);
    if (n < lines.size()) line += lines[n];
    line.resize(80, ' ');
    text += line;
  }
  return text;
}

std::string header_of(const SegyGather& gather, Index samples) {
  Header header(400);
  const auto at = [](std::size_t byte) { return byte - 3200; };
  header.set16(at(3213), if_short(std::ssize(gather.traces)));
  header.set16(at(3217), if_short(microseconds(gather)));
  header.set16(at(3221), if_short(samples));
  header.set16(at(3225), 5);  // IEEE floats of 4 bytes
  header.set16(at(3229), 1);  // as recorded
  header.set16(at(3255), 1);  // metres
  header.set32(at(3269), samples);
  header.set_real(at(3273), 1e6 * gather.interval);
  header.set32(at(3297), 0x01020304);
  header.set16(at(3501), 0x0200);
  header.set16(at(3503), 1);  // all traces are alike
  return header.bytes();
}

std::string header_of(const SegyGather& gather, Scale lengths, std::size_t number) {
  constexpr std::array<Index, 3> sensors{14, 13, 12};  // inline, crossline, vertical
  const SegyGather::Trace& trace = gather.traces[number];
  Header header(240);
  header.set32(1, static_cast<Index>(number) + 1);
  header.set32(5, static_cast<Index>(number) + 1);
  header.set32(9, 1);
  header.set32(13, static_cast<Index>(number) + 1);
  header.set16(29, sensors[static_cast<std::size_t>(index_of(gather.axis))]);
  header.set16(35, 1);
  header.set32(41, lengths.of(-trace.position[2]));
  header.set16(69, lengths.code());
  header.set16(71, lengths.code());
  header.set32(81, lengths.of(trace.position[0]));
  header.set32(85, lengths.of(trace.position[1]));
  header.set16(89, 1);
  const Scale times(1e3 * std::abs(gather.begin), std::numeric_limits<std::int16_t>::max());
  header.set16(109, times.of(1e3 * gather.begin));  // ms
  header.set16(215, times.code());
  header.set16(115, if_short(std::ssize(trace.values)));
  header.set16(117, if_short(microseconds(gather)));
  if (gather.source) {
    const Real3& from = *gather.source;
    header.set32(
        37, std::llround(std::hypot(trace.position[0] - from[0], trace.position[1] - from[1])));
    header.set32(49, lengths.of(from[2]));
    header.set32(73, lengths.of(from[0]));
    header.set32(77, lengths.of(from[1]));
  }
  return header.bytes();
}

}  // namespace

std::string segy_bytes(const SegyGather& gather) {
  const Index samples = gather.traces.empty() ? 0 : std::ssize(gather.traces.front().values);
  const Scale lengths = length_scale(gather);
  std::string bytes = text_of(gather) + header_of(gather, samples);
  for (std::size_t n = 0; n < gather.traces.size(); ++n) {
    bytes += header_of(gather, lengths, n);
    for (const double value : gather.traces[n].values) {
      const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
      for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(bits >> shift & 0xff);
    }
  }
  return bytes;
}

std::string why_not_segy(const SegyGather& gather, Index samples) {
  const double exact = 1e6 * gather.interval;
  const double drift = std::abs(static_cast<double>(microseconds(gather)) / exact - 1) *
                       static_cast<double>(samples - 1);
  constexpr double most_drift = 0.01, most_error = 1e-3;
  if (drift > most_drift) {
    return fmt::format(
        "it keeps intervals in whole microseconds: {:.6g} us between samples would drift by {:.2g} "
        "of them up to the end",
        exact, drift);
  }
  const std::vector<Real3> all = positions(gather);
  double size = 0, error = 0;
  const Scale lengths = length_scale(gather);
  for (const Real3& position : all) {
    for (std::size_t a = 0; a < 3; ++a) {
      const double kept = static_cast<double>(lengths.of(position[a])) / lengths.factor();
      size = std::max(size, std::abs(position[a] - (all.size() > 1 ? all.front()[a] : 0)));
      error = std::max(error, std::abs(kept - position[a]));
    }
  }
  if (error <= most_error * size) return "";
  return fmt::format("it keeps positions to {:g} mm, and they lie within {:.3g} mm",
                     1e3 / lengths.factor(), 1e3 * size);
}

}  // namespace goban::seismic
