#include "goban/grid/settings.hpp"

#include <algorithm>
#include <charconv>

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
