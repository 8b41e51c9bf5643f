#include "goban/io/snapshot/snapshot_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/json_file.hpp"
#include "goban/io/file/npy.hpp"

#ifdef GOBAN_HAVE_HDF5
#include "goban/io/snapshot/hdf5/vtkhdf.hpp"
#include "goban/io/snapshot/hdf5/vtkhdf_cells.hpp"
#endif

namespace goban {
namespace {

namespace fs = std::filesystem;

#ifdef GOBAN_HAVE_HDF5

/// ParaView's own list of a series of files.
void write_file_series(const fs::path& path, const XdmfSeries& index) {
  nlohmann::json files = nlohmann::json::array();
  for (const auto& entry : index.entries())
    files.push_back({{"name", entry.file}, {"time", entry.time}});
  write_json(path, {{"file-series-version", "1.0"}, {"files", files}});
}

#endif

StoredSnapshot read_npy_snapshot(const fs::path& path, const SnapshotSelection& selection) {
  Array array = read_npy(path);
  for (const std::string& name : selection.fields)
    require(name == array.name, fmt::format("there is no field '{}' in the file", name),
            fmt::format("it holds {}", array.name));
  if (selection.plane) {
    const auto& [normal, index] = *selection.plane;
    check_plane(array.name, array.extents, normal, index);
    array = copy_of(plane_of(array.view(), normal, index));
  }
  StoredSnapshot snapshot;
  snapshot.fields.push_back(std::move(array));
  snapshot.units.emplace_back();
  snapshot.locations.push_back(Location::cell);
  return snapshot;
}

}  // namespace

bool have_hdf5() {
#ifdef GOBAN_HAVE_HDF5
  return true;
#else
  return false;
#endif
}

std::string snapshot_format() {
#ifdef GOBAN_HAVE_HDF5
  return fmt::format("VTKHDF ({})", hdf5::library_version());
#else
  return "NumPy binary (built without HDF5)";
#endif
}

SnapshotSeries::SnapshotSeries(fs::path directory, std::string stem,
                               std::optional<Index> keep_until, FileRanks ranks)
    : directory_(std::move(directory)), stem_(std::move(stem)), ranks_(std::move(ranks)) {
  if (ranks_.is_first()) index_.emplace(directory_ / (stem_ + ".xdmf"), keep_until);
}

/// The file that holds the values of a field.
std::string SnapshotSeries::file_name(const Snapshot& snapshot, const SnapshotField& field) const {
  const std::string ending = have_hdf5() ? "vtkhdf" : field.name + ".npy";
  return fmt::format("{}.{:07}.{}", stem_, snapshot.step, ending);
}

XdmfStep SnapshotSeries::index_entry(const Snapshot& snapshot) const {
  XdmfStep entry{.step = snapshot.step,
                 .time = snapshot.time,
                 .extents = snapshot.extents,
                 .mesh = mesh_,
                 .nodes = nodes_,
                 .origin = snapshot.origin,
                 .spacing = snapshot.spacing,
                 .fields = {}};
  for (const SnapshotField& field : snapshot.fields)
    entry.fields.push_back(
        {.name = field.name,
         .type = stored_type(field.type),
         .components = field.components,
         .file = file_name(snapshot, field),
         .hdf5_dataset = have_hdf5() ? "/VTKHDF/CellData/" + field.name : std::string(),
         .offset = 0});
  return entry;
}

void SnapshotSeries::add_to_index(const XdmfStep& entry) {
  index_->add(entry);
#ifdef GOBAN_HAVE_HDF5
  write_file_series(directory_ / (stem_ + ".vtkhdf.series"), *index_);
#endif
}

/// Writes the mesh of active cells, once.
void SnapshotSeries::make_mesh([[maybe_unused]] const Snapshot& snapshot) {
  require(have_hdf5(), "a snapshot of active cells is refused", "this goban was built without HDF5",
          "install libhdf5-dev and build again");
#ifdef GOBAN_HAVE_HDF5
  if (mesh_.points > 0) return;
  mesh_.file = stem_ + ".cells.vtkhdf";
  mesh_.points =
      hdf5::write_mesh(directory_ / mesh_.file, *snapshot.active, snapshot.origin, snapshot.spacing)
          .points;
#endif
}

/// Writes the nodes, once.
void SnapshotSeries::make_nodes(const Snapshot& snapshot) {
  if (!nodes_.file.empty()) return;
  const auto values = [&](const Box& box, void* out) {
    auto* value = static_cast<float*>(out);
    for (Index k = box.lower[2]; k < box.upper[2]; ++k) {
      for (Index j = box.lower[1]; j < box.upper[1]; ++j) {
        for (Index i = box.lower[0]; i < box.upper[0]; ++i) {
          for (const double coordinate : snapshot.node({i, j, k}))
            *value++ = static_cast<float>(coordinate);
        }
      }
    }
  };
  const std::string file = stem_ + ".nodes.npy";
  const Index offset = write_npy(directory_ / file, ElementType::float32,
                                 snapshot.extents + Index3{1, 1, 1}, 3, values);
  nodes_ = {.file = file, .offset = offset};
}

WrittenSnapshot SnapshotSeries::write(const Snapshot& snapshot) {
  check_snapshot(snapshot);  // says the same on every rank
  agree(*ranks_.communicator, [&] {
    if (snapshot.active && index_) make_mesh(snapshot);
    if (snapshot.node && index_) make_nodes(snapshot);
  });
  WrittenSnapshot written{.files = {}, .bytes = 0, .description = snapshot_format()};
  XdmfStep entry = index_entry(snapshot);
#ifdef GOBAN_HAVE_HDF5
  written.files.push_back(directory_ / file_name(snapshot, {}));
  if (snapshot.active) {
    hdf5::write_cells(written.files.back(), snapshot, stem_ + ".cells.vtkhdf", ranks_);
  } else {
    hdf5::write_vtkhdf(written.files.back(), snapshot, ranks_);
  }
#else
  for (std::size_t f = 0; f < snapshot.fields.size(); ++f) {
    const SnapshotField& field = snapshot.fields[f];
    const auto values = [&](const Box& box, void* out) { field.make_stored(box, out); };
    written.files.push_back(directory_ / file_name(snapshot, field));
    entry.fields[f].offset = write_npy(written.files.back(), stored_type(field.type),
                                       snapshot.extents, field.components, values, ranks_);
  }
#endif
  agree(*ranks_.communicator, [&] {
    if (!index_) return;
    add_to_index(entry);
    for (const fs::path& file : written.files) written.bytes += size_of_file(file);
  });
  return written;
}

std::vector<std::pair<Index, double>> SnapshotSeries::steps() const {
  std::vector<std::pair<Index, double>> all;
  if (!index_) return all;
  for (const auto& entry : index_->entries()) all.emplace_back(entry.step, entry.time);
  return all;
}

void SnapshotSeries::recall(const std::vector<std::pair<Index, double>>& written,
                            const std::function<Snapshot(Index step, double time)>& outline) {
  if (!index_) return;
  for (const auto& [step, time] : written) {
    const auto known = steps();
    if (std::any_of(known.begin(), known.end(),
                    [step = step](const auto& one) { return one.first == step; }))
      continue;
    const Snapshot snapshot = outline(step, time);
    if (snapshot.active) make_mesh(snapshot);
    if (snapshot.node) make_nodes(snapshot);
    XdmfStep entry = index_entry(snapshot);
    const bool are_there =
        std::all_of(entry.fields.begin(), entry.fields.end(),
                    [&](const XdmfField& field) { return is_there(directory_ / field.file); });
    if (!are_there) continue;
#ifndef GOBAN_HAVE_HDF5
    for (XdmfField& field : entry.fields)
      field.offset = read_npy_layout(InputFile(directory_ / field.file)).begin;
#endif
    add_to_index(entry);
  }
}

StoredSnapshot read_snapshot(const fs::path& path, const SnapshotSelection& selection) {
  if (path.extension() == ".npy") return read_npy_snapshot(path, selection);
#ifdef GOBAN_HAVE_HDF5
  return hdf5::read_vtkhdf(path, selection);
#else
  throw Error(ExitCode::files, fmt::format("cannot read {}", path.string()),
              "this goban was built without HDF5", "install libhdf5-dev and build again");
#endif
}

}  // namespace goban
