#pragma once
// Memory of GPUs.

#include <memory>
#include <span>

#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/base/types.hpp"

namespace goban::graph500 {

/// Values in memory of the device that was current when it was made.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(Index size)
      : size_(size),
        memory_(static_cast<T*>(cuda::allocate(
                    static_cast<std::size_t>(size > 0 ? size : 1) * sizeof(T), "taking memory")),
                cuda::free_memory) {}
  explicit DeviceArray(std::span<const T> values) : DeviceArray(static_cast<Index>(values.size())) {
    put(values);
  }
  /// These functions return when the copy is done; what streams do is waited for before.
  void put(std::span<const T> values, Index begin = 0) {
    if (values.empty()) return;
    cuda::check(cuda::driver().cuMemcpyHtoD(cuda::address(data() + begin), values.data(),
                                            values.size_bytes()),
                "being given values");
    // From pageable memory the last part may still be under way, and streams here wait for no
    // other.
    cuda::check(cuda::driver().cuStreamSynchronize(nullptr), "being given values");
  }
  void get(T* values, cuda::CUstream stream) const {
    get(std::span<T>(values, static_cast<std::size_t>(size_)), stream);
  }
  /// As many as there is room for, from the one at `begin` on.
  void get(std::span<T> values, cuda::CUstream stream, Index begin = 0) const {
    if (!values.empty()) {
      cuda::check(cuda::driver().cuMemcpyDtoHAsync(values.data(), cuda::address(data() + begin),
                                                   values.size_bytes(), stream),
                  "giving values back");
    }
    cuda::check(cuda::driver().cuStreamSynchronize(stream), "giving values back");
  }
  /// Sets all bytes, in the order of the stream.
  void fill(unsigned char byte, cuda::CUstream stream) const {
    if (size_ == 0) return;
    cuda::check(cuda::driver().cuMemsetD8Async(cuda::address(data()), byte, bytes(), stream),
                "clearing memory");
  }
  /// The first `size` values remain; memory does, too.
  void shorten(Index size) { size_ = size; }

  T* data() const { return memory_.get(); }
  Index size() const { return size_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

 private:
  Index size_ = 0;
  std::shared_ptr<T> memory_;
};

}  // namespace goban::graph500
