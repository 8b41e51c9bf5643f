#include "goban/backend/emulated.hpp"

#include "goban/base/modules.hpp"

namespace goban {
namespace {

const EmulatedModule& emulated_module() {
  static const void* const module = load_own_module("the module of emulated devices", "emulated",
                                                    "goban_emulated", "goban_emulated_module");
  return *static_cast<const EmulatedModule*>(module);
}

}  // namespace

std::shared_ptr<Executor> make_emulated_device(int number, std::uint64_t seed,
                                               int longest_delay_microseconds, double speed) {
  return emulated_module().make_device(number, seed, longest_delay_microseconds, speed);
}

void check_schedule(const Schedule& schedule, const Slots& slots) {
  emulated_module().check(schedule, slots);
}

}  // namespace goban
