#pragma once
// Groups, attributes and datasets of HDF5 files that are written.

#include <algorithm>
#include <string>
#include <utility>

#include "goban/io/file/file.hpp"
#include "goban/io/snapshot/hdf5/handle.hpp"
#include "goban/io/snapshot/snapshot.hpp"

namespace goban::hdf5 {

/// Calls of one file being written: the first that fails ends it.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::filesystem::path path, Index expected_bytes = 0)
      : path_(std::move(path)), expected_bytes_(expected_bytes) {}

  void check(herr_t status) const {
    if (status < 0) fail();
  }
  Handle check(Handle handle) const {
    if (!handle.is_open()) fail();
    return handle;
  }

  /// Properties of a new object without its dates: equal snapshots are equal files.
  Handle creation(hid_t object_class) const {
    Handle properties = check(property_list(H5Pcreate(object_class)));
    check(H5Pset_obj_track_times(properties.get(), false));
    return properties;
  }
  Handle new_group(const Handle& parent, const char* name) const {
    return check(group(H5Gcreate2(parent.get(), name, H5P_DEFAULT, creation(H5P_GROUP_CREATE).get(),
                                  H5P_DEFAULT)));
  }

  template <std::size_t N>
  void numbers(const Handle& object, const char* name, hid_t file_type, hid_t memory_type,
               const auto(&values)[N]) const {
    const hsize_t size = N;
    const Handle extent = check(space(H5Screate_simple(1, &size, nullptr)));
    store_attribute(object, name, file_type, extent, memory_type, values);
  }
  void number(const Handle& object, const char* name, hid_t file_type, hid_t memory_type,
              const void* value) const {
    store_attribute(object, name, file_type, check(space(H5Screate(H5S_SCALAR))), memory_type,
                    value);
  }
  void text_attribute(const Handle& object, const char* name, const std::string& text) const {
    const Handle kind = text_type(text);
    store_attribute(object, name, kind.get(), check(space(H5Screate(H5S_SCALAR))), kind.get(),
                    text.c_str());
  }
  void text_dataset(const Handle& parent, const char* name, const std::string& text) const {
    const Handle kind = text_type(text);
    const Handle extent = check(space(H5Screate(H5S_SCALAR)));
    const Handle data =
        check(dataset(H5Dcreate2(parent.get(), name, kind.get(), extent.get(), H5P_DEFAULT,
                                 creation(H5P_DATASET_CREATE).get(), H5P_DEFAULT)));
    check(H5Dwrite(data.get(), kind.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()));
  }
  /// When the values were so, and what they come from.
  void origin_of_data(const Handle& file, const Snapshot& snapshot) const {
    const Handle own = new_group(file, "goban");
    const std::int64_t step = snapshot.step;
    number(own, "time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &snapshot.time);
    number(own, "step", H5T_STD_I64LE, H5T_NATIVE_INT64, &step);
    const auto unit = [&](const char* name, const std::string& text) {
      if (!text.empty()) text_attribute(own, name, text);
    };
    unit("length_unit", snapshot.length_unit);
    unit("time_unit", snapshot.time_unit);
    text_dataset(own, "config", snapshot.config);
    const Handle provenance = new_group(own, "provenance");
    for (const auto& [name, text] : snapshot.provenance)
      text_dataset(provenance, name.c_str(), text);
  }

 protected:
  /// The number of the error with which the system refused a call; 0: it has not.
  mutable int error_number_ = 0;

 private:
  /// A fixed-length string; VTK refuses other ones.
  Handle text_type(const std::string& text) const {
    Handle kind = check(type(H5Tcopy(H5T_C_S1)));
    check(H5Tset_size(kind.get(), std::max<std::size_t>(1, text.size())));
    check(H5Tset_strpad(kind.get(), H5T_STR_NULLPAD));
    const bool ascii = std::all_of(text.begin(), text.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 128; });
    check(H5Tset_cset(kind.get(), ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8));
    return kind;
  }
  void store_attribute(const Handle& object, const char* name, hid_t file_type,
                       const Handle& extent, hid_t memory_type, const void* values) const {
    const Handle item = check(hdf5::attribute(
        H5Acreate2(object.get(), name, file_type, extent.get(), H5P_DEFAULT, H5P_DEFAULT)));
    check(H5Awrite(item.get(), memory_type, values));
  }
  /// HDF5 passes a full disk on as text; the driver says it plainly.
  [[noreturn]] void fail() const {
    if (error_number_ != 0) throw_file_error("write", path_, error_number_, expected_bytes_);
    throw_error("write", path_);
  }

  std::filesystem::path path_;
  Index expected_bytes_;
};

}  // namespace goban::hdf5
