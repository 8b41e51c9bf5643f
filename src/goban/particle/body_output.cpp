#include "goban/particle/body_output.hpp"

#include <algorithm>
#include <bit>

#include "goban/base/agreement.hpp"
#include "goban/io/file/point_file.hpp"
#include "goban/simulation/output/numbered_files.hpp"

namespace goban {
namespace {

const std::vector<PointArray> point_arrays = {
    {"position", ElementType::float64, 3},    {"id", ElementType::float64, 1, true},
    {"shape", ElementType::float64, 1, true}, {"velocity", ElementType::float64, 3},
    {"rotation", ElementType::float64, 3},    {"axes", ElementType::float64, 9}};

std::vector<Index> pieces_of(Index count, Index bodies_of_piece) {
  std::vector<Index> pieces;
  for (Index first = 0; first < count; first += bodies_of_piece) {
    pieces.push_back(std::min(bodies_of_piece, count - first));
  }
  return pieces;
}

/// Adds what the array has of a body.
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
  std::optional<PointFile> file;
  agree(ranks, [&] {
    if (!writes) return;
    file.emplace(path, point_arrays, "Tensors=\"axes\"",
                 pieces_of(population.count(), bodies_of_piece));
  });
  for (Index first = 0; first < population.count(); first += bodies_of_piece) {
    const Index last = std::min(first + bodies_of_piece, population.count());
    const auto bodies = population.collect(first, writes ? last : first);
    agree(ranks, [&] {
      for (std::size_t n = 0; writes && n < point_arrays.size(); ++n) {
        std::vector<double> numbers;
        for (const device::BodyState& body : bodies) {
          const auto shape = static_cast<std::size_t>(body.shape);
          append(numbers, n, body, population.options().shapes[shape], grid);
        }
        file->append(numbers.data());
      }
    });
  }
  agree(ranks, [&] {
    if (writes) file->commit();
  });
}

double BodyOutput::bytes_per_write() const {
  double bytes = 0;
  for (const PointArray& array : point_arrays) {
    bytes += static_cast<double>(array.bytes(population_->count()));
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
