#include "goban/io/snapshot/hdf5/skeleton_driver.hpp"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace goban::hdf5 {
namespace {

/// HDF5 sees the first part of it.
struct SkeletonFile {
  H5FD_t common{};
  int file = -1;
  haddr_t end_of_addresses = 0, end_of_file = 0;
  std::vector<std::uint64_t>* chunk_places = nullptr;
  int* first_error = nullptr;

  /// Notes what the system said of a call that failed.
  herr_t failed() const {
    if (*first_error == 0) *first_error = errno;
    return -1;
  }
};

/// What the properties of a file carry to open_file.
struct DriverInfo {
  int* first_error;
};

SkeletonFile& own(H5FD_t* file) { return *reinterpret_cast<SkeletonFile*>(file); }
const SkeletonFile& own(const H5FD_t* file) { return *reinterpret_cast<const SkeletonFile*>(file); }

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t) {
  auto opened = std::make_unique<SkeletonFile>();
  opened->first_error = static_cast<const DriverInfo*>(H5Pget_driver_info(access))->first_error;
  const bool is_new = (flags & H5F_ACC_TRUNC) != 0;
  opened->file = ::open(name, O_RDWR | O_CLOEXEC | (is_new ? O_TRUNC : 0));
  struct stat status {};
  if (opened->file < 0 || ::fstat(opened->file, &status) != 0) {
    opened->failed();
    if (opened->file >= 0) ::close(opened->file);
    return nullptr;
  }
  opened->end_of_file = static_cast<haddr_t>(status.st_size);
  return &opened.release()->common;
}

herr_t close_file(H5FD_t* file) {
  const std::unique_ptr<SkeletonFile> closed(&own(file));
  return ::close(closed->file) == 0 ? 0 : closed->failed();
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) { return own(file).end_of_addresses; }
herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  own(file).end_of_addresses = end;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return own(file).end_of_file; }

herr_t handle_of(H5FD_t* file, hid_t, void** handle) {
  *handle = &own(file);
  return 0;
}

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t from, std::size_t count, void* bytes) {
  auto* to = static_cast<std::byte*>(bytes);
  while (count > 0) {
    const ssize_t done = ::pread(own(file).file, to, count, static_cast<off_t>(from));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return own(file).failed();
    if (done == 0) {  // beyond the end
      std::memset(to, 0, count);
      return 0;
    }
    to += done;
    from += static_cast<haddr_t>(done);
    count -= static_cast<std::size_t>(done);
  }
  return 0;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t to, std::size_t count,
                   const void* bytes) {
  SkeletonFile& mine = own(file);
  const haddr_t end = to + count;
  if (kind == H5FD_MEM_DRAW && mine.chunk_places) {
    mine.chunk_places->push_back(to);
    return 0;
  }
  const auto* from = static_cast<const std::byte*>(bytes);
  while (count > 0) {
    const ssize_t done = ::pwrite(mine.file, from, count, static_cast<off_t>(to));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return mine.failed();
    from += done;
    to += static_cast<haddr_t>(done);
    count -= static_cast<std::size_t>(done);
  }
  mine.end_of_file = std::max(mine.end_of_file, end);
  return 0;
}

/// The file is as large as its addresses reach, with or without the chunks.
herr_t truncate_file(H5FD_t* file, hid_t, hbool_t) {
  SkeletonFile& mine = own(file);
  if (mine.end_of_file == mine.end_of_addresses) return 0;
  if (::ftruncate(mine.file, static_cast<off_t>(mine.end_of_addresses)) != 0) return mine.failed();
  mine.end_of_file = mine.end_of_addresses;
  return 0;
}

H5FD_class_t make_class() {
  H5FD_class_t made{};
#if H5_VERSION_GE(1, 13, 0)
  made.version = H5FD_CLASS_VERSION;
  made.value = static_cast<H5FD_class_value_t>(400);  // of those for private use
#endif
  made.name = "goban_skeleton";
  made.maxaddr = HADDR_MAX / 2;
  made.fc_degree = H5F_CLOSE_STRONG;
  made.fapl_size = sizeof(DriverInfo);
  made.open = open_file;
  made.close = close_file;
  made.query = query;
  made.get_eoa = end_of_addresses;
  made.set_eoa = set_end_of_addresses;
  made.get_eof = end_of_file;
  made.get_handle = handle_of;
  made.read = read_bytes;
  made.write = write_bytes;
  made.truncate = truncate_file;
  const H5FD_mem_t free_lists[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(free_lists), std::end(free_lists), made.fl_map);
  return made;
}

SkeletonFile* skeleton_of(hid_t file) {
  void* handle = nullptr;
  H5Fget_vfd_handle(file, H5P_DEFAULT, &handle);
  return static_cast<SkeletonFile*>(handle);
}

}  // namespace

void use_skeleton_driver(hid_t access, int& first_error) {
  static const H5FD_class_t skeleton = make_class();
  static const hid_t driver = H5FDregister(&skeleton);
  const DriverInfo info{&first_error};
  H5Pset_driver(access, driver, &info);
}

ChunkPlaces::ChunkPlaces(hid_t file) : noted_in_(skeleton_of(file)->chunk_places) {
  noted_in_ = &places_;
}

ChunkPlaces::~ChunkPlaces() { noted_in_ = nullptr; }

}  // namespace goban::hdf5
