#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "goban/base/agreement.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file_ranks.hpp"
#include "goban/io/snapshot/hdf5/element_types.hpp"
#include "goban/io/snapshot/hdf5/object_writer.hpp"
#include "goban/io/snapshot/hdf5/skeleton_driver.hpp"
#include "goban/io/snapshot/hdf5/vtkhdf.hpp"

namespace goban::hdf5 {
namespace {

constexpr Index chunk_bytes = Index{1} << 20;
constexpr Index slab_bytes = Index{8} << 20;
constexpr std::size_t checksum_bytes = 4;

static_assert(std::endian::native == std::endian::little, "values are stored as they are");

/// The checksum that HDF5's filter of this name puts behind every chunk: of 16-bit words, the first
/// byte of each being the high one; a last odd byte counts as high one.
std::uint32_t fletcher32(const std::byte* bytes, std::size_t count) {
  constexpr std::size_t words_without_overflow = 360;
  std::uint32_t sum = 0, sum_of_sums = 0;
  const auto reduce = [](std::uint32_t s) { return (s & 0xffff) + (s >> 16); };
  for (std::size_t words = count / 2; words > 0;) {
    const std::size_t now = std::min(words, words_without_overflow);
    for (std::size_t i = 0; i < now; ++i, bytes += 2) {
      sum += static_cast<std::uint32_t>(bytes[0]) << 8 | static_cast<std::uint32_t>(bytes[1]);
      sum_of_sums += sum;
    }
    sum = reduce(sum);
    sum_of_sums = reduce(sum_of_sums);
    words -= now;
  }
  if (count % 2 != 0) {
    sum = reduce(sum + (static_cast<std::uint32_t>(*bytes) << 8));
    sum_of_sums = reduce(sum_of_sums + sum);
  }
  return reduce(sum_of_sums) << 16 | reduce(sum);
}

/// The file by way of the skeleton driver, whose errors are the writer's.
class Writer : public ObjectWriter {
 public:
  using ObjectWriter::ObjectWriter;

  /// Access properties of the file.
  Handle access() const {
    Handle properties = check(property_list(H5Pcreate(H5P_FILE_ACCESS)));
    use_skeleton_driver(properties.get(), error_number_);
    return properties;
  }
  /// Closes the file. Whatever failed to be written on the way, by any call, ends it here at last.
  void close(Handle file) const {
    const herr_t status = H5Fclose(file.release());
    check(error_number_ == 0 ? status : -1);
  }
};

/// How the values of a field are cut: chunks of rows of a plane, or of planes, with a checksum
/// each, and slabs of whole chunks, which are written together.
struct Cuts {
  Index row_bytes, chunk_rows, chunk_planes;
  Index chunks_of_plane;  ///< one where they are of planes
  std::vector<Box> slabs;

  Index chunk_size() const { return row_bytes * chunk_rows * chunk_planes; }
  Index chunk_count(Index3 extents) const {
    return chunks_of_plane * ((extents[2] + chunk_planes - 1) / chunk_planes);
  }
  std::size_t chunk_at(Index y, Index z) const {
    return static_cast<std::size_t>(z / chunk_planes * chunks_of_plane + y / chunk_rows);
  }
};

Cuts cuts_of(const SnapshotField& field, Index3 extents) {
  const Index ny = extents[1], nz = extents[2];
  Cuts cuts;
  cuts.row_bytes =
      extents[0] * field.components * static_cast<Index>(size_of(stored_type(field.type)));
  cuts.chunk_rows = std::clamp(chunk_bytes / cuts.row_bytes, Index{1}, ny);
  cuts.chunk_planes =
      cuts.chunk_rows < ny ? 1 : std::clamp(chunk_bytes / (cuts.row_bytes * ny), Index{1}, nz);
  cuts.chunks_of_plane = (ny + cuts.chunk_rows - 1) / cuts.chunk_rows;
  const auto whole_chunks = [](Index fitting, Index chunk, Index all) {
    return fitting >= all ? all : std::max(chunk, round_down(fitting, chunk));
  };
  const Index rows = whole_chunks(slab_bytes / cuts.row_bytes, cuts.chunk_rows, ny);
  const Index planes =
      rows < ny ? 1 : whole_chunks(slab_bytes / (cuts.row_bytes * ny), cuts.chunk_planes, nz);
  for (Index z = 0; z < nz; z += planes) {
    for (Index y = 0; y < ny; y += rows) {
      cuts.slabs.push_back(
          {{0, y, z}, {extents[0], std::min(y + rows, ny), std::min(z + planes, nz)}});
    }
  }
  return cuts;
}

/// Coordinates of values along the axes of the grid, as netCDF has them, with the attributes of the
/// conventions CF. Where levels follow the ground a field `height` of cells is a coordinate of the
/// others in cells, as are `latitude` and `longitude`.
class Scales {
 public:
  Scales(const Writer& writer, const Handle& file, const Snapshot& snapshot)
      : writer_(writer), file_(file), snapshot_(snapshot) {
    const Handle extent = writer.check(space(H5Screate(H5S_SCALAR)));
    const Handle time = new_dataset(free_name("time"), extent, H5P_DEFAULT);
    writer.check(
        H5Dwrite(time.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &snapshot.time));
    if (!snapshot.time_unit.empty()) writer.text_attribute(time, "units", snapshot.time_unit);
    writer.text_attribute(file, "Conventions", "CF-1.8");
  }

  /// Says of the axes of a field's dataset what they are; the root has it, too.
  void attach(const Handle& data, const SnapshotField& field) {
    for (int a = 2; a >= 0; --a) {
      const bool is_on_faces = is_staggered(field.location, a);
      std::vector<double> places;
      for (Index n = 0; n < snapshot_.extents[a]; ++n) {
        places.push_back(snapshot_.origin[a] +
                         (static_cast<double>(n) + (is_on_faces ? 0 : 0.5)) * snapshot_.spacing[a]);
      }
      attach(data, 2 - a, std::string(1, "xyz"[a]) + (is_on_faces ? "_face" : ""), places,
             snapshot_.length_unit);
    }
    if (field.components > 1) {
      std::vector<double> numbers;
      for (int c = 0; c < field.components; ++c) numbers.push_back(c);
      attach(data, 3, fmt::format("component_{}", field.components), numbers, {});
    }
    writer_.text_attribute(data, "location", name_of(field.location));
    writer_.text_attribute(data, "coordinates", free_name("time") + other_coordinates(field));
    writer_.check(H5Olink(data.get(), file_.get(), field.name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  }

 private:
  /// " height", " latitude", " longitude", those that are fields of cells beside this one.
  std::string other_coordinates(const SnapshotField& of) const {
    std::string names;
    for (const SnapshotField& field : snapshot_.fields) {
      const bool is_coordinate = (field.name == "height" && snapshot_.node) ||
                                 field.name == "latitude" || field.name == "longitude";
      const bool is_beside = of.location == Location::cell && field.location == of.location;
      if (is_coordinate && is_beside && field.name != of.name) names += ' ' + field.name;
    }
    return names;
  }
  void attach(const Handle& data, int dimension, const std::string& name,
              const std::vector<double>& values, const std::string& unit) {
    const std::string free = free_name(name);
    if (H5Lexists(file_.get(), free.c_str(), H5P_DEFAULT) <= 0) {
      const auto size = static_cast<hsize_t>(values.size());
      const Handle extent = writer_.check(space(H5Screate_simple(1, &size, nullptr)));
      const Handle properties = writer_.creation(H5P_DATASET_CREATE);
      writer_.check(H5Pset_chunk(properties.get(), 1, &size));
      writer_.check(H5Pset_fletcher32(properties.get()));
      const Handle scale = new_dataset(free, extent, properties.get());
      writer_.check(
          H5Dwrite(scale.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
      if (!unit.empty()) writer_.text_attribute(scale, "units", unit);
      if (dimension < 3) writer_.text_attribute(scale, "axis", std::string(1, "ZYX"[dimension]));
      writer_.check(H5DSset_scale(scale.get(), free.c_str()));
    }
    const Handle scale = writer_.check(dataset(H5Dopen2(file_.get(), free.c_str(), H5P_DEFAULT)));
    writer_.check(H5DSattach_scale(data.get(), scale.get(), static_cast<unsigned>(dimension)));
  }
  Handle new_dataset(const std::string& name, const Handle& extent, hid_t properties) const {
    const Handle plain = writer_.creation(H5P_DATASET_CREATE);
    return writer_.check(
        dataset(H5Dcreate2(file_.get(), name.c_str(), H5T_IEEE_F64LE, extent.get(), H5P_DEFAULT,
                           properties == H5P_DEFAULT ? plain.get() : properties, H5P_DEFAULT)));
  }
  std::string free_name(std::string name) const {
    const auto is_of_field = [&](const SnapshotField& field) { return field.name == name; };
    while (std::any_of(snapshot_.fields.begin(), snapshot_.fields.end(), is_of_field)) name += '_';
    return name;
  }

  const Writer& writer_;
  const Handle& file_;
  const Snapshot& snapshot_;
};

/// The dataset without its values: returns where its chunks are to be.
std::vector<std::uint64_t> make_dataset(const Writer& writer, const Handle& file,
                                        const Handle& parent, const SnapshotField& field,
                                        Index3 extents) {
  const auto& [nx, ny, nz] = extents;
  const int rank = field.components > 1 ? 4 : 3;
  const Cuts cuts = cuts_of(field, extents);
  const auto shape = [&](Index planes, Index rows) {
    return std::array<hsize_t, 4>{static_cast<hsize_t>(planes), static_cast<hsize_t>(rows),
                                  static_cast<hsize_t>(nx), static_cast<hsize_t>(field.components)};
  };
  const Handle file_space =
      writer.check(space(H5Screate_simple(rank, shape(nz, ny).data(), nullptr)));
  const Handle properties = writer.creation(H5P_DATASET_CREATE);
  writer.check(
      H5Pset_chunk(properties.get(), rank, shape(cuts.chunk_planes, cuts.chunk_rows).data()));
  writer.check(H5Pset_fletcher32(properties.get()));
  writer.check(H5Pset_fill_time(properties.get(), H5D_FILL_TIME_NEVER));
  const Handle data = writer.check(
      dataset(H5Dcreate2(parent.get(), field.name.c_str(), file_type_of(field.type),
                         file_space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT)));
  if (!field.unit.empty()) writer.text_attribute(data, "units", field.unit);

  ChunkPlaces places(file.get());
  const std::byte nothing{};  // what would be written is not looked at
  for (Index z = 0; z < nz; z += cuts.chunk_planes) {
    for (Index y = 0; y < ny; y += cuts.chunk_rows) {
      const std::array<hsize_t, 4> start = {static_cast<hsize_t>(z), static_cast<hsize_t>(y), 0, 0};
      writer.check(H5Dwrite_chunk(data.get(), H5P_DEFAULT, 0, start.data(),
                                  static_cast<std::size_t>(cuts.chunk_size()) + checksum_bytes,
                                  &nothing));
    }
  }
  writer.check(H5Dflush(data.get()));
  return places.take();
}

/// Puts the values of a field to their places.
void write_values(const SnapshotField& field, Index3 extents,
                  const std::vector<std::uint64_t>& places, FileShare& file,
                  const FileRanks& ranks) {
  const Cuts cuts = cuts_of(field, extents);
  const Index chunk_size = cuts.chunk_size();
  std::vector<std::byte> chunk(static_cast<std::size_t>(chunk_size) + checksum_bytes);
  const auto write_chunk = [&](Index place, const std::byte* values, Index used) {
    // The last of a plane, or of all, may reach beyond it.
    std::copy_n(values, used, chunk.begin());
    std::fill(chunk.begin() + used, chunk.begin() + chunk_size, std::byte{});
    const std::uint32_t sum = fletcher32(chunk.data(), static_cast<std::size_t>(chunk_size));
    std::memcpy(chunk.data() + chunk_size, &sum, checksum_bytes);
    file.write(place, chunk.data(), static_cast<Index>(chunk.size()));
  };
  const auto write = [&](std::size_t n, const std::byte* values) {
    const auto& [low, high] = cuts.slabs[n];
    for (Index z = low[2]; z < high[2]; z += cuts.chunk_planes) {
      for (Index y = low[1]; y < high[1]; y += cuts.chunk_rows) {
        const Index planes = std::min(cuts.chunk_planes, high[2] - z);
        const Index rows = std::min(cuts.chunk_rows, high[1] - y);
        const Index first = ((z - low[2]) * (high[1] - low[1]) + y - low[1]) * cuts.row_bytes;
        write_chunk(static_cast<Index>(places[cuts.chunk_at(y, z)]), values + first,
                    planes * rows * cuts.row_bytes);
      }
    }
  };
  const Index bytes_per_cell =
      field.components * static_cast<Index>(size_of(stored_type(field.type)));
  write_pieces(
      ranks, cuts.slabs, bytes_per_cell,
      [&](const Box& box, void* out) { field.make_stored(box, out); }, write);
}

void write_image_attributes(const Writer& writer, const Handle& image, const Snapshot& snapshot) {
  const std::int64_t version[2] = {1, 0};
  const std::int64_t extent[6] = {0, snapshot.extents[0], 0, snapshot.extents[1],
                                  0, snapshot.extents[2]};
  const double origin[3] = {snapshot.origin[0], snapshot.origin[1], snapshot.origin[2]};
  const double spacing[3] = {snapshot.spacing[0], snapshot.spacing[1], snapshot.spacing[2]};
  const double direction[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  writer.numbers(image, "Version", H5T_STD_I64LE, H5T_NATIVE_INT64, version);
  writer.text_attribute(image, "Type", "ImageData");
  writer.numbers(image, "WholeExtent", H5T_STD_I64LE, H5T_NATIVE_INT64, extent);
  writer.numbers(image, "Origin", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, origin);
  writer.numbers(image, "Spacing", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, spacing);
  writer.numbers(image, "Direction", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, direction);
}

Index expected_size(const Snapshot& snapshot) {
  const auto& [nx, ny, nz] = snapshot.extents;
  constexpr Index coordinate_bytes = 16;  // those of cells and of faces
  Index bytes =
      static_cast<Index>(snapshot.config.size()) + 64 * 1024 + coordinate_bytes * (nx + ny + nz);
  for (const SnapshotField& field : snapshot.fields) {
    const Index data = byte_count(stored_type(field.type), snapshot.extents, field.components);
    bytes += data + data / 4096;  // chunk index and checksums
  }
  return bytes;
}

/// All of the file but the values; returns where those of every field are to be.
std::vector<std::vector<std::uint64_t>> write_skeleton(AtomicFile& target,
                                                       const Snapshot& snapshot) {
  const Session session;
  const Index expected_bytes = expected_size(snapshot);
  const Writer writer(target.path(), expected_bytes);
  const Handle access = writer.access();
  writer.check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG));
  // The format in which metadata have checksums too: damage is found, where in the older one it
  // crashes the library.
  writer.check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110));
  Handle opened =
      writer.check(file(H5Fcreate(target.partial_path().c_str(), H5F_ACC_TRUNC,
                                  writer.creation(H5P_FILE_CREATE).get(), access.get())));
  target.reserve(expected_bytes);
  std::vector<std::vector<std::uint64_t>> places;
  {
    const Handle image = writer.new_group(opened, "VTKHDF");
    write_image_attributes(writer, image, snapshot);
    const Handle cells = writer.new_group(image, "CellData");
    Scales scales(writer, opened, snapshot);
    for (const SnapshotField& field : snapshot.fields) {
      places.push_back(make_dataset(writer, opened, cells, field, snapshot.extents));
      const Handle data =
          writer.check(dataset(H5Dopen2(cells.get(), field.name.c_str(), H5P_DEFAULT)));
      scales.attach(data, field);
    }
  }
  writer.origin_of_data(opened, snapshot);
  writer.check(H5Fflush(opened.get(), H5F_SCOPE_LOCAL));
  writer.close(std::move(opened));
  return places;
}

}  // namespace

std::string library_version() {
  const Session session;
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("HDF5 {}.{}.{}", major, minor, release);
}

void write_vtkhdf(const std::filesystem::path& path, const Snapshot& snapshot,
                  const FileRanks& ranks) {
  check_snapshot(snapshot);
  Communicator& communicator = *ranks.communicator;
  std::optional<AtomicFile> target;
  std::vector<std::vector<std::uint64_t>> places(snapshot.fields.size());
  agree(communicator, [&] {
    if (!ranks.is_first()) return;
    target.emplace(path);
    places = write_skeleton(*target, snapshot);
  });
  FileShare share(partial_path_of(path), path);
  for (std::size_t f = 0; f < places.size(); ++f) {
    places[f].resize(static_cast<std::size_t>(
        cuts_of(snapshot.fields[f], snapshot.extents).chunk_count(snapshot.extents)));
    communicator.broadcast(std::as_writable_bytes(std::span(places[f])), 0);
    write_values(snapshot.fields[f], snapshot.extents, places[f], share, ranks);
  }
  agree(communicator, [&] { share.close(); });
  agree(communicator, [&] {
    if (target) target->commit();
  });
}

}  // namespace goban::hdf5
