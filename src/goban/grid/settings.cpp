#include "goban/grid/settings.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>

#include "goban/base/error.hpp"

namespace goban {

const char* name_of(Overlap overlap) {
  switch (overlap) {
    case Overlap::none: return "none";
    case Overlap::one_kernel: return "one-kernel";
    default: return "two-kernel";
  }
}

const char* name_of(Backend backend) {
  switch (backend) {
    case Backend::cpu: return "cpu";
    case Backend::scalar: return "scalar";
    case Backend::reference: return "reference";
    case Backend::cuda: return "cuda";
    default: return "emulated";
  }
}

const char* name_of(Transport transport) {
  switch (transport) {
    case Transport::automatic: return "auto";
    case Transport::peer: return "peer";
    default: return "host";
  }
}

const char* name_of(HaloPrecision precision) {
  switch (precision) {
    case HaloPrecision::full: return "full";
    case HaloPrecision::single: return "single";
    default: return "half";
  }
}

namespace {

/// The value that has this name.
template <class Named>
Named named(std::initializer_list<Named> values, const std::string& word, const char* what,
            const char* names) {
  for (const Named value : values) {
    if (word == name_of(value)) return value;
  }
  throw Error(ExitCode::usage, std::string("there is no ") + what + " '" + word + "'", "",
              std::string("write ") + names);
}

struct Unit {
  std::string_view name;
  double value;
};

/// The number and unit that `text` is, in terms of the units; less than 0: it is none.
double quantity(std::string_view text, std::initializer_list<Unit> units) {
  double value = -1;
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return -1;
  const std::string_view rest = text.substr(static_cast<std::size_t>(after - text.data()));
  for (const Unit& unit : units) {
    if (rest == unit.name) return value * unit.value;
  }
  return -1;
}

}  // namespace

Transport transport_named(const std::string& word) {
  return named({Transport::automatic, Transport::peer, Transport::host}, word, "transport",
               "auto, peer or host");
}

HaloPrecision halo_precision_named(const std::string& word) {
  return named({HaloPrecision::full, HaloPrecision::single, HaloPrecision::half}, word,
               "precision of halos", "full, single or half");
}

LinkModel link_named(const std::string& text) {
  LinkModel link;
  if (text == "off") return link;
  const auto comma = text.find(',');
  link.latency =
      quantity(text.substr(0, comma), {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}});
  if (comma != std::string::npos) {
    link.bytes_per_second =
        quantity(text.substr(comma + 1), {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}});
  }
  const bool is_link = link.latency >= 0 && link.latency <= 10 && link.bytes_per_second >= 1;
  require(is_link, "link '" + text + "' is refused",
          "a delay of up to 10 s and the bytes per second are expected", "write 50us,1GB/s");
  return link;
}

void choose_devices(Settings& settings, const std::string& devices) {
  constexpr std::string_view cuda = "cuda";
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::usage, "cannot compute on devices '" + devices + "'", why,
                "write cpu, cuda or, for some GPUs, cuda:0,1");
  };
  settings.gpus.clear();
  if (devices == "cpu") {
    if (settings.backend == Backend::cuda) settings.backend = Backend::cpu;
    return;
  }
  if (devices.rfind(cuda, 0) != 0) refuse("there is no such kind of device");
  settings.backend = Backend::cuda;
  if (devices.size() == cuda.size()) return;
  if (devices[cuda.size()] != ':') refuse("GPUs follow a colon");
  const char* at = devices.data() + cuda.size() + 1;
  const char* const end = devices.data() + devices.size();
  while (true) {
    int number = -1;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || number < 0) refuse("GPUs are numbered 0, 1, ...");
    if (std::find(settings.gpus.begin(), settings.gpus.end(), number) != settings.gpus.end()) {
      refuse("GPU " + std::to_string(number) + " is named twice");
    }
    settings.gpus.push_back(number);
    if (after == end) return;
    if (*after != ',') refuse("GPUs are separated by commas");
    at = after + 1;
  }
}

}  // namespace goban
