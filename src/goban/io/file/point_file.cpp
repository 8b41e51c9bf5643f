#include "goban/io/file/point_file.hpp"

#include <fmt/format.h>

#include <numeric>

namespace goban {
namespace {

/// A point is a vertex, or programs would not show it: its number, and where the list of its
/// corners ends.
const PointArray vertex_arrays[] = {{"connectivity", ElementType::float64, 1, true},
                                    {"offsets", ElementType::float64, 1, true}};

std::string declaration(const PointArray& array, std::size_t offset) {
  const char* const type = array.is_integer                     ? "Int64"
                           : array.type == ElementType::float32 ? "Float32"
                                                                : "Float64";
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
      "offset=\"{}\"/>\n",
      type, array.name, array.components, offset);
}

std::string header_of(const std::vector<PointArray>& arrays, const std::string& attribute,
                      const std::vector<Index>& pieces) {
  std::string text =
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<PolyData>\n";
  std::size_t offset = 0;
  for (const Index points : pieces) {
    const auto declare = [&](const PointArray& array) {
      text += declaration(array, offset);
      offset += sizeof(std::uint64_t) + array.bytes(points);
    };
    text += fmt::format(
        "<Piece NumberOfPoints=\"{0}\" NumberOfVerts=\"{0}\" NumberOfLines=\"0\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<Points>\n",
        points);
    declare(arrays.front());
    text += "</Points>\n<PointData " + attribute + ">\n";
    for (std::size_t n = 1; n < arrays.size(); ++n) declare(arrays[n]);
    text += "</PointData>\n<Verts>\n";
    for (const PointArray& array : vertex_arrays) declare(array);
    text += "</Verts>\n</Piece>\n";
  }
  return text + "</PolyData>\n<AppendedData encoding=\"raw\">\n_";
}

}  // namespace

PointFile::PointFile(const std::filesystem::path& path, std::vector<PointArray> arrays,
                     const std::string& attribute, std::vector<Index> points_of_pieces)
    : file_(path), arrays_(std::move(arrays)), pieces_(std::move(points_of_pieces)) {
  file_.write(header_of(arrays_, attribute, pieces_));
}

void PointFile::append(const void* values) {
  const Index points = pieces_[piece_];
  write(values, arrays_[array_].bytes(points));
  if (++array_ < arrays_.size()) return;
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(points));
  for (const std::int64_t first : {0, 1}) {
    std::iota(numbers.begin(), numbers.end(), first);
    write(numbers.data(), vertex_arrays[first].bytes(points));
  }
  array_ = 0;
  ++piece_;
}

void PointFile::write(const void* bytes, std::size_t count) {
  const std::uint64_t size = count;
  file_.write(&size, sizeof size);
  file_.write(bytes, count);
}

void PointFile::commit() {
  file_.write("\n</AppendedData>\n</VTKFile>\n");
  file_.commit();
}

}  // namespace goban
