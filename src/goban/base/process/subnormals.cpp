#include "goban/base/process/subnormals.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace goban {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t flush = 0x8040;  // FTZ and DAZ
constexpr bool is_possible = true;
std::uint64_t mode() { return _mm_getcsr(); }
void set_mode(std::uint64_t mode) { _mm_setcsr(static_cast<unsigned int>(mode)); }
#elif defined(__aarch64__)
constexpr std::uint64_t flush = std::uint64_t{1} << 24;  // FZ
constexpr bool is_possible = true;
std::uint64_t mode() {
  std::uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
void set_mode(std::uint64_t mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
constexpr std::uint64_t flush = 0;
constexpr bool is_possible = false;
std::uint64_t mode() { return 0; }
void set_mode(std::uint64_t) {}
#endif

}  // namespace

FlushedSubnormals::FlushedSubnormals(bool flushes) : before_(mode()) {
  if (flushes) set_mode(before_ | flush);
}
FlushedSubnormals::~FlushedSubnormals() { set_mode(before_); }

bool FlushedSubnormals::are_possible() { return is_possible; }

}  // namespace goban
