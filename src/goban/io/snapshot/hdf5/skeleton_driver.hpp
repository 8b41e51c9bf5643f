#pragma once
// How HDF5 reaches a file whose values others write: it does all but store the chunks of datasets,
// and says where they lie.

#include <cstdint>
#include <vector>

#include "goban/io/snapshot/hdf5/handle.hpp"

namespace goban::hdf5 {

/// Access properties of files of this kind. The file exists. `first_error` becomes the errno of the
/// first call to the system that fails until the file is closed: the library tells nobody of those
/// made while an object's last reference goes.
void use_skeleton_driver(hid_t access, int& first_error);

/// Notes where chunks lie while it lives, in the order in which they are written, and keeps them
/// out of the file.
class ChunkPlaces {
 public:
  explicit ChunkPlaces(hid_t file);
  ~ChunkPlaces();
  ChunkPlaces(const ChunkPlaces&) = delete;
  ChunkPlaces& operator=(const ChunkPlaces&) = delete;

  std::vector<std::uint64_t> take() { return std::move(places_); }

 private:
  std::vector<std::uint64_t>*& noted_in_;
  std::vector<std::uint64_t> places_;
};

}  // namespace goban::hdf5
