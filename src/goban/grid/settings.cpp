#include "goban/grid/settings.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>

#include "goban/base/error.hpp"

namespace goban {

namespace {

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

namespace {

/// "0,1" as numbers that are not among `before`; why not, if that cannot be.
std::string read_numbers(std::string_view text, std::vector<int>& numbers) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int number = -1;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || number < 0) return "devices are numbered 0, 1, ...";
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) {
      return "device " + std::to_string(number) + " is named twice";
    }
    numbers.push_back(number);
    if (after == end) return {};
    if (*after != ',') return "numbers are separated by commas";
    at = after + 1;
  }
}

}  // namespace

void choose_devices(Settings& settings, const std::string& devices) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::usage, "cannot compute on devices '" + devices + "'", why,
                "write cpu, cuda, cuda+cpu or, for some GPUs, cuda:0,1");
  };
  std::vector<int> chosen;
  std::string_view kind_of_all;
  std::string_view rest = devices;
  for (bool is_last = false; !is_last;) {
    const auto plus = rest.find('+');
    is_last = plus == std::string_view::npos;
    const std::string_view word = rest.substr(0, plus);
    if (!is_last) rest.remove_prefix(plus + 1);
    if (word == "cpu") {
      chosen.push_back(cpu_device);
      continue;
    }
    const auto colon = word.find(':');
    const std::string_view kind = word.substr(0, colon);
    if (kind != "cuda" && kind != "emulated") refuse("there is no such kind of device");
    if (!kind_of_all.empty() && kind != kind_of_all) refuse("GPUs are there or emulated");
    kind_of_all = kind;
    if (colon == std::string_view::npos) {
      chosen.push_back(every_device);
    } else if (const auto why = read_numbers(word.substr(colon + 1), chosen); !why.empty()) {
      refuse(why);
    }
  }
  const auto all = std::count(chosen.begin(), chosen.end(), every_device);
  const auto cpus = std::count(chosen.begin(), chosen.end(), cpu_device);
  const auto others = static_cast<std::ptrdiff_t>(chosen.size()) - cpus;
  if (all > 1 || (all == 1 && others > 1)) refuse("devices are named twice");
  settings.devices.clear();
  if (others == 0) {
    if (cpus > 1) refuse("there is one CPU");
    if (settings.backend == Backend::cuda) settings.backend = Backend::cpu;
    return;
  }
  settings.backend = kind_of_all == "cuda" ? Backend::cuda : Backend::emulated;
  if (all == 0 || cpus > 0) settings.devices = chosen;
}

bool is_mixed(const Settings& settings) {
  return std::count(settings.devices.begin(), settings.devices.end(), cpu_device) > 0;
}

}  // namespace goban
