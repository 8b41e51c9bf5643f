#include "goban/particle/body_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "goban/base/agreement.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/simulation/output/numbered_files.hpp"

namespace goban {
namespace {

/// An array of points: its name, type and how a body fills it.
struct PointArray {
  const char* name;
  const char* type;
  int components;
  std::size_t size;  ///< bytes of a component
};
constexpr PointArray point_arrays[] = {{"position", "Float64", 3, 8}, {"id", "Int64", 1, 8},
                                       {"shape", "Int64", 1, 8},      {"velocity", "Float64", 3, 8},
                                       {"rotation", "Float64", 3, 8}, {"axes", "Float64", 9, 8}};

std::string declaration(const PointArray& array, std::size_t offset) {
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
      "offset=\"{}\"/>\n",
      array.type, array.name, array.components, offset);
}

std::size_t bytes_of(const PointArray& array, Index bodies) {
  return static_cast<std::size_t>(bodies * array.components) * array.size;
}

std::string header_of(Index count, Index bodies_of_piece) {
  std::string text =
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<PolyData>\n";
  std::size_t offset = 0;
  for (Index first = 0; first < count; first += bodies_of_piece) {
    const Index bodies = std::min(bodies_of_piece, count - first);
    text += fmt::format(
        "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<Points>\n",
        bodies);
    for (const PointArray& array : point_arrays) {
      text += declaration(array, offset);
      if (&array == point_arrays) text += "</Points>\n<PointData Tensors=\"axes\">\n";
      offset += sizeof(std::uint64_t) + bytes_of(array, bodies);
    }
    text += "</PointData>\n</Piece>\n";
  }
  return text + "</PolyData>\n<AppendedData encoding=\"raw\">\n_";
}

/// Of one body, as many bytes as the array has a body.
void append(std::vector<double>& numbers, std::size_t array, const device::BodyState& body,
            const BodyShape& shape, const GridState& grid) {
  switch (array) {
    case 0:
      for (std::size_t a = 0; a < 3; ++a) {
        numbers.push_back(grid.origin[a] + grid.spacing[a] * body.position[a]);
      }
      return;
    case 1: numbers.push_back(std::bit_cast<double>(body.id)); return;
    case 2: numbers.push_back(std::bit_cast<double>(body.shape)); return;
    case 3: numbers.insert(numbers.end(), body.velocity, body.velocity + 3); return;
    case 4: numbers.insert(numbers.end(), body.rotation, body.rotation + 3); return;
    default: {
      double axes[3][3];
      device::body_axes(body.quaternion, axes);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t a = 0; a < 3; ++a) {
          numbers.push_back(axes[a][i] * shape.semi_axes[a] * grid.spacing[i]);
        }
      }
    }
  }
}

}  // namespace

void write_polydata(const std::filesystem::path& path, Population& population,
                    Index bodies_of_piece) {
  Communicator& ranks = population.nodes().communicator();
  const GridState& grid = *population.nodes().grid();
  const bool writes = ranks.rank() == 0;
  std::optional<AtomicFile> file;
  agree(ranks, [&] {
    if (!writes) return;
    file.emplace(path);
    file->write(header_of(population.count(), bodies_of_piece));
  });
  for (Index first = 0; first < population.count(); first += bodies_of_piece) {
    const Index last = std::min(first + bodies_of_piece, population.count());
    const auto bodies = population.collect(first, writes ? last : first);
    agree(ranks, [&] {
      for (std::size_t n = 0; writes && n < std::size(point_arrays); ++n) {
        std::vector<double> numbers;
        for (const device::BodyState& body : bodies) {
          const auto shape = static_cast<std::size_t>(body.shape);
          append(numbers, n, body, population.options().shapes[shape], grid);
        }
        const std::uint64_t bytes = numbers.size() * sizeof(double);
        file->write(&bytes, sizeof bytes);
        file->write(numbers.data(), bytes);
      }
    });
  }
  agree(ranks, [&] {
    if (!writes) return;
    file->write("\n</AppendedData>\n</VTKFile>\n");
    file->commit();
  });
}

double BodyOutput::bytes_per_write() const {
  double bytes = 0;
  for (const PointArray& array : point_arrays) {
    bytes += static_cast<double>(bytes_of(array, population_->count()));
  }
  return bytes;
}

void BodyOutput::open(const RunPlace& place, std::optional<Index> keep_until) {
  place_ = place;
  if (keep_until && place.writes) {
    files_ = keep_numbered(place.directory, stem(), {".vtp"}, *keep_until);
  }
}

void BodyOutput::write(const Moment& moment) {
  set_last(moment.clock.step);
  const auto path = place_.directory / numbered_name(stem(), moment.clock.step, ".vtp");
  write_polydata(path, *population_);
  if (place_.writes) files_.push_back(path);
}

}  // namespace goban
