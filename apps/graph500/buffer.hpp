#pragma once
// Large arrays that are read at random.

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

#include "goban/backend/cpu/thread_team.hpp"
#include "goban/base/types.hpp"

namespace goban::graph500 {

/// Uninitialised values on pages of 2 MiB, where the system has some: each page comes to the memory
/// of the processor that writes it first.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(Index size) : size_(size) {
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
    const std::size_t alignment = bytes >= page ? page : 64;
    const std::size_t rounded = (bytes + alignment) / alignment * alignment;
    memory_.reset(static_cast<T*>(std::aligned_alloc(alignment, rounded)));
    if (!memory_) throw std::bad_alloc();
    if (bytes >= page) ::madvise(memory_.get(), rounded, MADV_HUGEPAGE);
  }

  Index size() const { return size_; }
  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }
  T& operator[](Index i) { return memory_.get()[i]; }
  const T& operator[](Index i) const { return memory_.get()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::span<const T> all() const { return {data(), static_cast<std::size_t>(size_)}; }

  /// The first `size` values remain; the rest goes back to the system.
  void shorten(Index size) {
    constexpr std::uintptr_t page = 4096;
    const auto keep = (reinterpret_cast<std::uintptr_t>(data() + size) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(data() + size_) / page * page;
    if (keep < end) ::madvise(reinterpret_cast<void*>(keep), end - keep, MADV_DONTNEED);
    size_ = size;
  }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  Index size_ = 0;
  std::unique_ptr<T, Free> memory_;
};

template <class T>
void fill(Buffer<T>& values, T value, ThreadTeam& team) {
  team.run_split(values.size(), [&](Index begin, Index end, int) {
    std::fill(values.begin() + begin, values.begin() + end, value);
  });
}

}  // namespace goban::graph500
