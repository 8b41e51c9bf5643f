#include "seismic/segy_traces.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

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

Index centimetres(double metres) { return std::llround(100 * metres); }

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

std::string header_of(const SegyGather& gather, std::size_t number) {
  constexpr std::array<Index, 3> sensors{14, 13, 12};  // inline, crossline, vertical
  const SegyGather::Trace& trace = gather.traces[number];
  Header header(240);
  header.set32(1, static_cast<Index>(number) + 1);
  header.set32(5, static_cast<Index>(number) + 1);
  header.set32(9, 1);
  header.set32(13, static_cast<Index>(number) + 1);
  header.set16(29, sensors[static_cast<std::size_t>(index_of(gather.axis))]);
  header.set16(35, 1);
  header.set32(41, centimetres(-trace.position[2]));
  header.set16(69, -100);
  header.set16(71, -100);
  header.set32(81, centimetres(trace.position[0]));
  header.set32(85, centimetres(trace.position[1]));
  header.set16(89, 1);
  header.set16(109, std::llround(1e3 * gather.begin));
  header.set16(115, if_short(std::ssize(trace.values)));
  header.set16(117, if_short(microseconds(gather)));
  if (gather.source) {
    const Real3& from = *gather.source;
    header.set32(
        37, std::llround(std::hypot(trace.position[0] - from[0], trace.position[1] - from[1])));
    header.set32(49, centimetres(from[2]));
    header.set32(73, centimetres(from[0]));
    header.set32(77, centimetres(from[1]));
  }
  return header.bytes();
}

}  // namespace

std::string segy_bytes(const SegyGather& gather) {
  const Index samples = gather.traces.empty() ? 0 : std::ssize(gather.traces.front().values);
  std::string bytes = text_of(gather) + header_of(gather, samples);
  for (std::size_t n = 0; n < gather.traces.size(); ++n) {
    bytes += header_of(gather, n);
    for (const double value : gather.traces[n].values) {
      const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
      for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(bits >> shift & 0xff);
    }
  }
  return bytes;
}

}  // namespace goban::seismic
