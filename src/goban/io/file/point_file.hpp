#pragma once
// Points and what they have, as VTK PolyData.

#include <span>
#include <string>
#include <vector>

#include "goban/io/file/atomic_file.hpp"

namespace goban {

/// An array of points.
struct PointArray {
  std::string name;
  ElementType type = ElementType::float64;
  int components = 1;
  bool is_integer = false;  ///< integers of 8 bytes, instead of `type`

  std::size_t bytes(Index points) const {
    return static_cast<std::size_t>(points * components) *
           (is_integer ? sizeof(std::int64_t) : size_of(type));
  }
};

/// A file <path>.vtp with raw data at its end, made piece after piece. The first array is of
/// positions; `attribute` names another, 'Normals="normal"'. Error (files).
class PointFile {
 public:
  PointFile(const std::filesystem::path& path, std::vector<PointArray> arrays,
            const std::string& attribute, std::vector<Index> points_of_pieces);

  /// The next array of the piece at hand.
  void append(const void* values);
  /// All of all pieces is there.
  void commit();

 private:
  void write(const void* bytes, std::size_t count);

  AtomicFile file_;
  std::vector<PointArray> arrays_;
  std::vector<Index> pieces_;
  std::size_t array_ = 0, piece_ = 0;
};

}  // namespace goban
