// Lists the GPUs of this machine.

#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/executor.hpp"

namespace goban::cuda {
namespace {

std::string bus_of(int number) {
  char text[32] = {};
  check(driver().cuDeviceGetPCIBusId(text, sizeof(text), number), "being asked where it is");
  return text;
}

}  // namespace

int device_count() {
  int count = 0;
  if (driver_refusal().empty()) check(driver().cuDeviceGetCount(&count), "being counted");
  return count;
}

std::vector<Gpu> devices() {
  std::vector<Gpu> all;
  for (int number = 0; number < device_count(); ++number) {
    Gpu info;
    info.number = number;
    info.name = name_of(number);
    info.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, number);
    info.bus = bus_of(number);
    const OnDevice current(number);
    std::size_t free = 0, whole = 0;
    check(driver().cuMemGetInfo(&free, &whole), "being asked for its memory");
    info.memory_free = static_cast<Index>(free);
    info.memory = static_cast<Index>(whole);
    all.push_back(info);
  }
  return all;
}

}  // namespace goban::cuda
