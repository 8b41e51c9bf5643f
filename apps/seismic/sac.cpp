#include "seismic/sac.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>

namespace goban::seismic {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little endian");

constexpr int unknown = -12345;  // SAC's word for it, as number and as text

/// SAC's own names for the words of its header that are set.
enum Word : std::size_t {
  delta = 0,
  depmin = 1,
  depmax = 2,
  b = 5,
  e = 6,
  stdp = 34,
  evdp = 38,
  user0 = 40,
  user3 = 43,
  dist = 50,
  az = 51,
  baz = 52,
  depmen = 56,
  cmpaz = 57,
  cmpinc = 58,
  nvhdr = 76,
  npts = 79,
  iftype = 85,
  idep = 86,
  leven = 105,
  lpspol = 106,
  lovrok = 107,
  lcalda = 108,
  unused = 109,
  kstnm = 110,
  kevnm = 112,
  kcmpnm = 150
};

/// Words of the header by their number; texts are of 8 characters, two words.
class Header {
 public:
  static constexpr std::size_t integers = 70, texts = 110, words = 158;

  Header() {
    for (std::size_t n = 0; n < integers; ++n) set(n, static_cast<float>(unknown));
    for (std::size_t n = integers; n < texts; ++n) set(n, std::int32_t{unknown});
    set_text(texts, 8, "-12345");
    set_text(texts + 2, 16, "-12345");
    for (std::size_t n = texts + 6; n < words; n += 2) set_text(n, 8, "-12345");
  }

  void set(std::size_t word, double value) { set(word, static_cast<float>(value)); }
  void set(std::size_t word, std::int32_t value) { put(word, &value, 4); }
  void set_text(std::size_t word, std::size_t length, std::string text) {
    text.resize(length, ' ');
    put(word, text.data(), length);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void set(std::size_t word, float value) { put(word, &value, 4); }
  void put(std::size_t word, const void* from, std::size_t count) {
    std::memcpy(bytes_.data() + 4 * word, from, count);
  }
  std::string bytes_ = std::string(4 * words, '\0');
};

void set_positions(Header& header, const SacTrace& trace) {
  const Real3& at = trace.position;
  header.set(stdp, at[2]);  // m
  for (std::size_t a = 0; a < 3; ++a) header.set(user0 + a, at[a]);
  if (!trace.source) return;
  const Real3& from = *trace.source;
  header.set(evdp, from[2] / 1000);  // km
  for (std::size_t a = 0; a < 3; ++a) header.set(user3 + a, from[a]);
  const double north = at[0] - from[0], east = at[1] - from[1];
  const double azimuth = std::atan2(east, north) * 180 / std::numbers::pi;
  header.set(dist, std::hypot(north, east) / 1000);  // km
  header.set(az, azimuth < 0 ? azimuth + 360 : azimuth);
  header.set(baz, azimuth + 180);
}

}  // namespace

std::string sac_station(const std::string& name) { return name.substr(0, 8); }

std::string SacTrace::component() const {
  return {quantity == Quantity::velocity ? 'V' : 'U', "XYZ"[index_of(axis)]};
}

std::string sac_bytes(const SacTrace& trace) {
  std::vector<float> values(trace.values.size());
  std::transform(trace.values.begin(), trace.values.end(), values.begin(),
                 [](double value) { return static_cast<float>(value); });
  Header header;
  header.set(delta, trace.interval);
  header.set(b, trace.begin);
  header.set(e, trace.begin + static_cast<double>(values.size() - 1) * trace.interval);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value);
  header.set(depmin, static_cast<double>(*least));
  header.set(depmax, static_cast<double>(*most));
  header.set(depmen, sum / static_cast<double>(values.size()));
  set_positions(header, trace);
  header.set(cmpaz, trace.axis == Axis::y ? 90.0 : 0.0);     // from the north
  header.set(cmpinc, trace.axis == Axis::z ? 180.0 : 90.0);  // from upwards
  const auto flag = [&](std::size_t word, int value) { header.set(word, std::int32_t{value}); };
  flag(nvhdr, 6);
  flag(npts, static_cast<int>(values.size()));
  flag(iftype, 1);  // a time series
  flag(idep, trace.quantity == SacTrace::Quantity::velocity ? 7 : 6);
  flag(leven, 1);
  flag(lpspol, 0);
  flag(lovrok, 1);
  flag(lcalda, 0);  // nothing follows from latitudes
  flag(unused, 0);
  header.set_text(kstnm, 8, sac_station(trace.station));
  header.set_text(kevnm, 16, trace.event);
  header.set_text(kcmpnm, 8, trace.component());
  std::string bytes = header.bytes();
  bytes.append(reinterpret_cast<const char*>(values.data()), sizeof(float) * values.size());
  return bytes;
}

}  // namespace goban::seismic
