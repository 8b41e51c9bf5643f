#include "goban/io/snapshot/hdf5/handle.hpp"

#include <fmt/format.h>

#include "goban/base/error.hpp"

namespace goban::hdf5 {
namespace {

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// What the innermost failing function said, on one line.
std::string library_reason() {
  std::string reason;
  const auto keep_first = [](unsigned, const H5E_error2_t* entry, void* kept) -> herr_t {
    if (entry->desc != nullptr) *static_cast<std::string*>(kept) = entry->desc;
    return 1;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
  for (char& c : reason)
    if (c == '\n') c = ' ';
  return reason.empty() ? "HDF5 gave no reason" : "HDF5: " + reason;
}

}  // namespace

void throw_error(std::string_view action, const std::filesystem::path& path,
                 std::string_view suggestion) {
  throw Error(ExitCode::files, fmt::format("cannot {} {}", action, path.string()), library_reason(),
              std::string(suggestion));
}

Session::Session() : lock_(library_mutex()) {
  // A damaged file can leave the library with parts it cannot close at exit, which it then says at
  // length on the terminal. Files written here are always closed before.
  [[maybe_unused]] static const herr_t once = H5dont_atexit();
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() { H5Eset_auto2(H5E_DEFAULT, print_, print_data_); }

}  // namespace goban::hdf5
