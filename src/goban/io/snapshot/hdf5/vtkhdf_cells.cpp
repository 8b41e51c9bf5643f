#include "goban/io/snapshot/hdf5/vtkhdf_cells.hpp"

#include <array>
#include <optional>
#include <vector>

#include "goban/base/agreement.hpp"
#include "goban/grid/cell_corners.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/snapshot/hdf5/element_types.hpp"
#include "goban/io/snapshot/hdf5/object_writer.hpp"

namespace goban::hdf5 {
namespace {

constexpr Index chunk = Index{1} << 16, at_once = Index{1} << 20;  // rows

/// A file while it is written.
class CellsFile : public ObjectWriter {
 public:
  explicit CellsFile(const std::filesystem::path& path) : ObjectWriter(path), target_(path) {
    const Handle access = check(property_list(H5Pcreate(H5P_FILE_ACCESS)));
    check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110));
    file_ = check(file(H5Fcreate(target_.partial_path().c_str(), H5F_ACC_TRUNC,
                                 creation(H5P_FILE_CREATE).get(), access.get())));
    root_ = new_group(file_, "VTKHDF");
    const std::int64_t version[2] = {1, 0};
    numbers(root_, "Version", H5T_STD_I64LE, H5T_NATIVE_INT64, version);
    text_attribute(root_, "Type", "UnstructuredGrid");
  }

  const Handle& file_handle() const { return file_; }
  const Handle& root() const { return root_; }

  /// The dataset has so many rows, with checksums.
  Handle new_dataset(const Handle& parent, const std::string& name, hid_t type, Index rows,
                     int columns) const {
    const std::array<hsize_t, 2> shape{static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
    const std::array<hsize_t, 2> chunks{static_cast<hsize_t>(std::min(rows, chunk)), shape[1]};
    const int rank = columns > 1 ? 2 : 1;
    const Handle properties = creation(H5P_DATASET_CREATE);
    check(H5Pset_chunk(properties.get(), rank, chunks.data()));
    check(H5Pset_fletcher32(properties.get()));
    check(H5Pset_fill_time(properties.get(), H5D_FILL_TIME_NEVER));
    return check(
        dataset(H5Dcreate2(parent.get(), name.c_str(), type,
                           check(space(H5Screate_simple(rank, shape.data(), nullptr))).get(),
                           H5P_DEFAULT, properties.get(), H5P_DEFAULT)));
  }
  void rows(const Handle& data, hid_t memory_type, Index first, Index count, int columns,
            const void* values) const {
    const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), 0};
    const std::array<hsize_t, 2> shape{static_cast<hsize_t>(count), static_cast<hsize_t>(columns)};
    const int rank = columns > 1 ? 2 : 1;
    const Handle all = check(space(H5Dget_space(data.get())));
    const Handle part = check(space(H5Screate_simple(rank, shape.data(), nullptr)));
    check(H5Sselect_hyperslab(all.get(), H5S_SELECT_SET, start.data(), nullptr, shape.data(),
                              nullptr));
    check(H5Dwrite(data.get(), memory_type, part.get(), all.get(), H5P_DEFAULT, values));
  }
  void external(const char* name, const std::string& file_name) const {
    check(H5Lcreate_external(file_name.c_str(), (std::string("/VTKHDF/") + name).c_str(),
                             root_.get(), name, H5P_DEFAULT, H5P_DEFAULT));
  }
  void commit() {
    root_ = {};
    check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL));
    check(H5Fclose(file_.release()));
    target_.commit();
  }

 private:
  AtomicFile target_;
  Handle file_, root_;
};

/// Rows as they come, written many at a time.
template <class T>
class Rows {
 public:
  Rows(const CellsFile& file, const char* name, hid_t file_type, hid_t memory_type, Index rows,
       int columns = 1)
      : file_(file),
        data_(file.new_dataset(file.root(), name, file_type, rows, columns)),
        type_(memory_type),
        columns_(columns) {}
  void add(T value) {
    values_.push_back(value);
    if (std::ssize(values_) == at_once * columns_) flush();
  }
  void flush() {
    const Index count = std::ssize(values_) / columns_;
    if (count > 0) file_.rows(data_, type_, first_, count, columns_, values_.data());
    first_ += count;
    values_.clear();
  }

 private:
  const CellsFile& file_;
  Handle data_;
  hid_t type_;
  int columns_;
  Index first_ = 0;
  std::vector<T> values_;
};

void write_number(const CellsFile& file, const char* name, std::int64_t value) {
  Rows<std::int64_t> rows(file, name, H5T_STD_I64LE, H5T_NATIVE_INT64, 1);
  rows.add(value);
  rows.flush();
}

constexpr const char* of_mesh[] = {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds",
                                   "Points",         "Connectivity",  "Offsets",
                                   "Types"};

void write_points(const CellsFile& file, const CellCorners& corners, const Real3& origin,
                  const Real3& spacing) {
  Rows<double> points(file, "Points", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, corners.size(), 3);
  corners.each_corner([&](Index3 corner) {
    for (std::size_t a = 0; a < 3; ++a) {
      points.add(origin[a] + static_cast<double>(corner[a]) * spacing[a]);
    }
  });
  points.flush();
}

void write_hexahedra(const CellsFile& file, const CellCorners& corners, Index cells) {
  constexpr std::array<std::size_t, 8> order{0, 1, 3, 2, 4, 5, 7, 6};
  constexpr std::uint8_t hexahedron = 12;
  Rows<std::int64_t> connectivity(file, "Connectivity", H5T_STD_I64LE, H5T_NATIVE_INT64, 8 * cells);
  corners.each_cell([&](const std::array<Index, 8>& its) {
    for (const std::size_t corner : order) connectivity.add(its[corner]);
  });
  connectivity.flush();
  Rows<std::int64_t> offsets(file, "Offsets", H5T_STD_I64LE, H5T_NATIVE_INT64, cells + 1);
  for (Index n = 0; n <= cells; ++n) offsets.add(8 * n);
  offsets.flush();
  Rows<std::uint8_t> types(file, "Types", H5T_STD_U8LE, H5T_NATIVE_UINT8, cells);
  for (Index n = 0; n < cells; ++n) types.add(hexahedron);
  types.flush();
}

}  // namespace

MeshSize write_mesh(const std::filesystem::path& path, const ActiveCells& cells,
                    const Real3& origin, const Real3& spacing) {
  const CellCorners corners(cells);
  const Session session;
  CellsFile file(path);
  write_number(file, "NumberOfPoints", corners.size());
  write_number(file, "NumberOfCells", cells.size());
  write_number(file, "NumberOfConnectivityIds", 8 * cells.size());
  write_points(file, corners, origin, spacing);
  write_hexahedra(file, corners, cells.size());
  file.commit();
  return {cells.size(), corners.size()};
}

void write_cells(const std::filesystem::path& path, const Snapshot& snapshot,
                 const std::string& mesh, const FileRanks& ranks) {
  check_snapshot(snapshot);
  const FileRanks one = one_writer(ranks.communicator);
  const Index cells = snapshot.extents[0];
  std::vector<Box> blocks;
  for (Index n = 0; n < cells; n += at_once) {
    blocks.push_back({{n, 0, 0}, {std::min(n + at_once, cells), 1, 1}});
  }
  std::optional<CellsFile> file;
  Handle parent;
  agree(*one.communicator, [&] {
    if (!one.is_first()) return;
    const Session session;
    file.emplace(path);
    for (const char* const name : of_mesh) file->external(name, mesh);
    parent = file->new_group(file->root(), "CellData");
  });
  for (const SnapshotField& field : snapshot.fields) {
    const ElementType type = stored_type(field.type);
    Handle data;
    agree(*one.communicator, [&] {
      if (!file) return;
      const Session session;
      data = file->new_dataset(parent, field.name, file_type_of(type), cells, field.components);
      if (!field.unit.empty()) file->text_attribute(data, "units", field.unit);
    });
    write_pieces(
        one, blocks, field.components * static_cast<Index>(size_of(type)),
        [&](const Box& box, void* out) { field.make_stored(box, out); },
        [&](std::size_t n, const std::byte* values) {
          const Session session;
          file->rows(data, memory_type_of(type), blocks[n].lower[0], blocks[n].extent(0),
                     field.components, values);
        });
    const Session session;
    data = {};
  }
  agree(*one.communicator, [&] {
    if (!file) return;
    const Session session;
    parent = {};
    file->origin_of_data(file->file_handle(), snapshot);
    file->commit();
  });
}

}  // namespace goban::hdf5
