#pragma once
// Open files of the system, and sockets.

#include "goban/base/types.hpp"

namespace goban {

/// A number of the system that is closed with its owner; negative: none. Failing calls leave their
/// reason in errno.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  operator int() const { return number_; }
  int release();
  /// Whether that went well; true where there is none.
  bool close();

 private:
  int number_;
};

/// All bytes at their place. Returns how many are written: fewer where a call failed.
Index write_at(int file, Index offset, const void* bytes, Index count);
/// Reads up to `count` bytes from their place. Returns how many there were; -1: a call failed.
Index read_at(int file, Index offset, void* bytes, Index count);

}  // namespace goban
