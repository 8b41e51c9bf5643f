#include "goban/grid/settings.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "goban/base/error.hpp"

namespace goban {

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
