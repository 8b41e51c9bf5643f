#pragma once
// Ownership of HDF5 identifiers, and errors with the library's own reason.

#include <hdf5.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace goban::hdf5 {

/// Throws Error(files) "cannot <action> <path> (<the library's deepest reason>)".
[[noreturn]] void throw_error(std::string_view action, const std::filesystem::path& path,
                              std::string_view suggestion = {});

/// Held while HDF5 is in use: the library is not thread-safe as Debian builds it. Keeps it from
/// printing its error stack while it is ours to report.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// An identifier closed by `close` at the end of its scope. A close that fails there belongs to a
/// file already given up; a file that is kept is closed with release() and a check.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }

  hid_t get() const { return id_; }
  bool is_open() const { return id_ >= 0; }
  hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

inline Handle file(hid_t id) { return {id, H5Fclose}; }
inline Handle group(hid_t id) { return {id, H5Gclose}; }
inline Handle dataset(hid_t id) { return {id, H5Dclose}; }
inline Handle space(hid_t id) { return {id, H5Sclose}; }
inline Handle type(hid_t id) { return {id, H5Tclose}; }
inline Handle attribute(hid_t id) { return {id, H5Aclose}; }
inline Handle property_list(hid_t id) { return {id, H5Pclose}; }
inline Handle object(hid_t id) { return {id, H5Oclose}; }

}  // namespace goban::hdf5
