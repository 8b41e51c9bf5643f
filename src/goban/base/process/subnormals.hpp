#pragma once
// Numbers below the smallest that have all their digits (1.2e-38 in single precision, 2.2e-308 in
// double), which CPUs compute many times slower than others.

#include <cstdint>

namespace goban {

/// While it lives the thread that made it, and threads that this one starts, take subnormal
/// operands for zero and make zeros of subnormal results, if `flushes`; then as before.
class FlushedSubnormals {
 public:
  explicit FlushedSubnormals(bool flushes);
  ~FlushedSubnormals();
  FlushedSubnormals(const FlushedSubnormals&) = delete;
  FlushedSubnormals& operator=(const FlushedSubnormals&) = delete;

  /// Whether this kind of processor can.
  static bool are_possible();

 private:
  std::uint64_t before_;
};

}  // namespace goban
