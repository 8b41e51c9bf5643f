#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "goban/base/error.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/snapshot/hdf5/handle.hpp"
#include "goban/io/snapshot/hdf5/vtkhdf.hpp"

namespace goban::hdf5 {
namespace {

constexpr std::size_t text_limit = std::size_t{16} << 20;
/// No filter of HDF5 packs better than deflate's 1032 to 1.
constexpr Index best_compression = 1032;

/// One file being read; every refusal names it.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : path_(path), file_size_(size_of_file(path)) {}

  Index file_size() const { return file_size_; }

  void check(herr_t status) const {
    if (status < 0) throw_error("read", path_, "the file may be damaged");
  }
  Handle check(Handle handle) const {
    if (!handle.is_open()) throw_error("read", path_, "the file may be damaged");
    return handle;
  }
  [[noreturn]] void refuse(const std::string& why, const std::string& suggestion = {}) const {
    throw Error(ExitCode::files, fmt::format("cannot read {}", path_.string()), why, suggestion);
  }

  bool has_link(const Handle& parent, const char* name) const {
    return H5Lexists(parent.get(), name, H5P_DEFAULT) > 0;
  }

  /// N numbers of attribute `name`; false if there is none.
  template <class T>
  bool numbers(const Handle& object, const char* name, hid_t memory_type, std::size_t count,
               T* values) const {
    if (H5Aexists(object.get(), name) <= 0) return false;
    const Handle item = check(attribute(H5Aopen(object.get(), name, H5P_DEFAULT)));
    const Handle extent = check(space(H5Aget_space(item.get())));
    const Handle kind = check(type(H5Aget_type(item.get())));
    const H5T_class_t type_class = H5Tget_class(kind.get());
    if (H5Sget_simple_extent_npoints(extent.get()) != static_cast<hssize_t>(count) ||
        (type_class != H5T_INTEGER && type_class != H5T_FLOAT))
      refuse(fmt::format("attribute {} is not {} numbers", name, count));
    check(H5Aread(item.get(), memory_type, values));
    return true;
  }

  /// A string attribute or scalar string dataset, of fixed or variable length.
  std::string attribute_text(const Handle& object, const char* name) const {
    if (H5Aexists(object.get(), name) <= 0) return {};
    const Handle item = check(attribute(H5Aopen(object.get(), name, H5P_DEFAULT)));
    return text(check(type(H5Aget_type(item.get()))), check(space(H5Aget_space(item.get()))),
                [&](hid_t kind, void* out) { check(H5Aread(item.get(), kind, out)); });
  }
  std::string dataset_text(const Handle& parent, const char* name) const {
    if (!has_link(parent, name)) return {};
    const Handle item = check(dataset(H5Dopen2(parent.get(), name, H5P_DEFAULT)));
    return text(check(type(H5Dget_type(item.get()))), check(space(H5Dget_space(item.get()))),
                [&](hid_t kind, void* out) {
                  check(H5Dread(item.get(), kind, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
                });
  }

  /// Names in `parent`, sorted as the library sorts them.
  std::vector<std::string> names(const Handle& parent) const {
    H5G_info_t info{};
    check(H5Gget_info(parent.get(), &info));
    std::vector<std::string> result;
    for (hsize_t n = 0; n < info.nlinks; ++n) {
      std::array<char, 1024> name{};
      if (H5Lget_name_by_idx(parent.get(), ".", H5_INDEX_NAME, H5_ITER_INC, n, name.data(),
                             name.size(), H5P_DEFAULT) < 0)
        throw_error("read", path_, "the file may be damaged");
      result.emplace_back(name.data());
    }
    return result;
  }

 private:
  template <class Read>
  std::string text(const Handle& kind, const Handle& extent, Read&& read) const {
    if (H5Tget_class(kind.get()) != H5T_STRING || H5Sget_simple_extent_npoints(extent.get()) != 1)
      refuse("a text in it is not a string");
    std::string result;
    if (H5Tis_variable_str(kind.get()) > 0) {
      char* raw = nullptr;
      read(kind.get(), static_cast<void*>(&raw));
      if (raw != nullptr) result = raw;
      H5free_memory(raw);
      return result;
    }
    const std::size_t size = H5Tget_size(kind.get());
    if (size > text_limit) refuse("a text in it is larger than 16 MiB");
    result.resize(size);
    read(kind.get(), static_cast<void*>(result.data()));
    result.resize(std::min(result.find('\0'), size));
    return result;
  }

  const std::filesystem::path& path_;
  Index file_size_;
};

struct MemoryType {
  ElementType element;
  hid_t hdf5;
};

/// The type that holds every value of the stored one, if there is one.
std::optional<MemoryType> memory_type(const Handle& kind) {
  const std::size_t size = H5Tget_size(kind.get());
  switch (H5Tget_class(kind.get())) {
    case H5T_FLOAT:
      if (size <= 4) return MemoryType{ElementType::float32, H5T_NATIVE_FLOAT};
      return MemoryType{ElementType::float64, H5T_NATIVE_DOUBLE};
    case H5T_INTEGER: {
      const bool is_signed = H5Tget_sign(kind.get()) == H5T_SGN_2;
      if (size == 1 && !is_signed) return MemoryType{ElementType::uint8, H5T_NATIVE_UINT8};
      if (size < 4 || (size == 4 && is_signed))
        return MemoryType{ElementType::int32, H5T_NATIVE_INT32};
      return MemoryType{ElementType::float64, H5T_NATIVE_DOUBLE};
    }
    default: return std::nullopt;
  }
}

/// Whether the stored bytes may be fewer than those of the values.
bool may_be_packed(const Reader& reader, const Handle& data) {
  const Handle properties = reader.check(property_list(H5Dget_create_plist(data.get())));
  const int filters = H5Pget_nfilters(properties.get());
  for (int n = 0; n < filters; ++n) {
    unsigned flags = 0, configuration = 0;
    std::size_t no_values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(properties.get(), static_cast<unsigned>(n), &flags,
                                               &no_values, nullptr, 0, nullptr, &configuration);
    if (filter != H5Z_FILTER_FLETCHER32 && filter != H5Z_FILTER_SHUFFLE) return true;
  }
  return filters < 0;
}

Array read_field(const Reader& reader, const Handle& data, const std::string& name, Index3 extents,
                 const SnapshotSelection& selection) {
  const Handle file_space = reader.check(space(H5Dget_space(data.get())));
  const int rank = H5Sget_simple_extent_ndims(file_space.get());
  if (rank != 3 && rank != 4) reader.refuse(fmt::format("field '{}' has {} axes", name, rank));
  std::array<hsize_t, 4> shape = {0, 0, 0, 1};
  reader.check(H5Sget_simple_extent_dims(file_space.get(), shape.data(), nullptr));
  for (int a = 0; a < 3; ++a)
    if (shape[2 - a] != static_cast<hsize_t>(extents[a]))
      reader.refuse(fmt::format("field '{}' has {} x {} x {} cells, the grid {}", name, shape[2],
                                shape[1], shape[0], text_of(extents)));
  if (shape[3] < 1 || shape[3] > (1 << 20))
    reader.refuse(fmt::format("field '{}' has {} components", name, shape[3]));
  const Handle stored = reader.check(type(H5Dget_type(data.get())));
  const auto memory = memory_type(stored);
  if (!memory) reader.refuse(fmt::format("field '{}' does not hold numbers", name));

  const int components = static_cast<int>(shape[3]);
  Index stored_bytes = static_cast<Index>(H5Tget_size(stored.get())) * components;
  for (const Index extent : extents)
    if (__builtin_mul_overflow(stored_bytes, extent, &stored_bytes))
      reader.refuse(fmt::format("field '{}' is too large", name));
  const auto available =
      std::min(static_cast<Index>(H5Dget_storage_size(data.get())), reader.file_size());
  const Index needed = may_be_packed(reader, data) ? stored_bytes / best_compression : stored_bytes;
  if (available < needed)
    reader.refuse(fmt::format("field '{}' needs {}, the file holds {}", name,
                              byte_text(stored_bytes), byte_text(available)));

  Index3 low = {0, 0, 0};
  Index3 count = extents;
  if (selection.plane) {
    const int axis = index_of(selection.plane->first);
    low[axis] = selection.plane->second;
    count[axis] = 1;
    check_plane(name, extents, selection.plane->first, low[axis]);
  }
  Array array(memory->element, count, components, name);
  const ArrayView layout = array.view();
  // Components lie innermost in the file and outermost in an Array: plane by plane.
  std::vector<std::byte> plane(
      static_cast<std::size_t>(byte_count(memory->element, {count[0], count[1], 1}, components)));
  const std::array<hsize_t, 4> window = {1, static_cast<hsize_t>(count[1]),
                                         static_cast<hsize_t>(count[0]), shape[3]};
  const Handle memory_space = reader.check(space(H5Screate_simple(rank, window.data(), nullptr)));
  for (Index k = 0; k < count[2]; ++k) {
    const std::array<hsize_t, 4> start = {static_cast<hsize_t>(low[2] + k),
                                          static_cast<hsize_t>(low[1]),
                                          static_cast<hsize_t>(low[0]), 0};
    reader.check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr,
                                     window.data(), nullptr));
    reader.check(H5Dread(data.get(), memory->hdf5, memory_space.get(), file_space.get(),
                         H5P_DEFAULT, plane.data()));
    const ArrayView values{.type = memory->element,
                           .extents = {count[0], count[1], 1},
                           .components = components,
                           .data = plane.data(),
                           .strides = {components, count[0] * components, 0},
                           .component_stride = 1,
                           .name = {}};
    std::byte* out =
        array.bytes.data() + k * layout.strides[2] * static_cast<Index>(size_of(array.type));
    copy_elements(values, {.type = memory->element,
                           .data = out,
                           .strides = layout.strides,
                           .component_stride = layout.component_stride});
  }
  return array;
}

void read_fields(const Reader& reader, const Handle& parent, Index3 extents,
                 const SnapshotSelection& selection, StoredSnapshot& snapshot) {
  const auto present = reader.names(parent);
  std::vector<std::string> wanted = selection.fields;
  if (wanted.empty()) wanted = present;
  for (const std::string& name : wanted) {
    if (std::find(present.begin(), present.end(), name) == present.end())
      throw Error(ExitCode::usage, fmt::format("there is no field '{}' in the file", name),
                  fmt::format("it holds {}", fmt::join(present, ", ")));
    const Handle item = reader.check(object(H5Oopen(parent.get(), name.c_str(), H5P_DEFAULT)));
    if (H5Iget_type(item.get()) != H5I_DATASET) continue;
    snapshot.fields.push_back(read_field(reader, item, name, extents, selection));
    snapshot.units.push_back(reader.attribute_text(item, "units"));
    snapshot.locations.push_back(location_named(reader.attribute_text(item, "location")));
  }
}

void read_origin_of_data(const Reader& reader, const Handle& opened, StoredSnapshot& snapshot) {
  if (!reader.has_link(opened, "goban")) return;
  const Handle own = reader.check(group(H5Gopen2(opened.get(), "goban", H5P_DEFAULT)));
  std::int64_t step = 0;
  reader.numbers(own, "time", H5T_NATIVE_DOUBLE, 1, &snapshot.time);
  reader.numbers(own, "step", H5T_NATIVE_INT64, 1, &step);
  snapshot.step = step;
  snapshot.length_unit = reader.attribute_text(own, "length_unit");
  snapshot.time_unit = reader.attribute_text(own, "time_unit");
  snapshot.config = reader.dataset_text(own, "config");
  if (!reader.has_link(own, "provenance")) return;
  const Handle provenance = reader.check(group(H5Gopen2(own.get(), "provenance", H5P_DEFAULT)));
  for (const std::string& name : reader.names(provenance))
    snapshot.provenance.emplace_back(name, reader.dataset_text(provenance, name.c_str()));
}

}  // namespace

StoredSnapshot read_vtkhdf(const std::filesystem::path& path, const SnapshotSelection& selection) {
  const Reader reader(path);
  const Session session;
  const Handle access = reader.check(property_list(H5Pcreate(H5P_FILE_ACCESS)));
  reader.check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG));
  const Handle opened = file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (!opened.is_open()) throw_error("read", path, "it is damaged or not an HDF5 file");
  if (!reader.has_link(opened, "VTKHDF")) reader.refuse("it has no group VTKHDF");
  const Handle image = reader.check(group(H5Gopen2(opened.get(), "VTKHDF", H5P_DEFAULT)));
  const std::string kind = reader.attribute_text(image, "Type");
  if (kind != "ImageData")
    reader.refuse(fmt::format("it holds '{}', only ImageData is read", kind));
  if (reader.has_link(image, "Steps"))
    reader.refuse("it holds several time steps in one file", "save one file per step");

  StoredSnapshot snapshot;
  std::array<std::int64_t, 6> extent{};
  if (!reader.numbers(image, "WholeExtent", H5T_NATIVE_INT64, 6, extent.data()))
    reader.refuse("attribute WholeExtent is missing");
  reader.numbers(image, "Origin", H5T_NATIVE_DOUBLE, 3, snapshot.origin.data());
  reader.numbers(image, "Spacing", H5T_NATIVE_DOUBLE, 3, snapshot.spacing.data());
  Index3 cells{};
  for (int a = 0; a < 3; ++a) {
    if (__builtin_sub_overflow(extent[2 * a + 1], extent[2 * a], &cells[a]) || cells[a] < 0 ||
        cells[a] > (Index{1} << 40))
      reader.refuse("attribute WholeExtent is damaged");
    snapshot.origin[a] += static_cast<double>(extent[2 * a]) * snapshot.spacing[a];
  }

  const auto read_group = [&](const char* name, Index3 extents) {
    if (!reader.has_link(image, name)) return;
    const Handle parent = reader.check(group(H5Gopen2(image.get(), name, H5P_DEFAULT)));
    if (reader.names(parent).empty()) return;
    read_fields(reader, parent, extents, selection, snapshot);
  };
  // A flat image has one layer of cells and of points.
  read_group("CellData", {std::max(cells[0], Index{1}), std::max(cells[1], Index{1}),
                          std::max(cells[2], Index{1})});
  if (snapshot.fields.empty()) {
    read_group("PointData", cells + Index3{1, 1, 1});
    if (!snapshot.fields.empty())
      for (int a = 0; a < 3; ++a) snapshot.origin[a] -= snapshot.spacing[a] / 2;
  }
  read_origin_of_data(reader, opened, snapshot);
  return snapshot;
}

}  // namespace goban::hdf5
