#pragma once
// The memory in which samples lie until the host collects them. Every patch keeps its part of the
// records, one record after the other.

#include <memory>
#include <vector>

#include "goban/domain/data/domain.hpp"
#include "goban/program/samples.hpp"

namespace goban {

/// The memory of one sample stage. Copies in the queues of the patches write the samples.
class SampleMemory {
 public:
  explicit SampleMemory(std::shared_ptr<Samples> samples) : samples_(std::move(samples)) {}

  const Samples& samples() const { return *samples_; }
  /// Returns the number of records that have not been collected.
  Index taken() const { return static_cast<Index>(clock_.size()); }

  /// Must be called before work is submitted that takes this many records. Collects earlier records
  /// if there is no room for all. Collective.
  void make_room(Domain& domain, Index records);
  /// Begins a record for this step and simulated time and returns its number.
  Index begin(Index step, double time);

  /// One copy of a component of a sampled part into a record. The caller sets the source of `task`
  /// to the memory of the field.
  struct Copy {
    std::size_t field = 0;
    int component = 0;
    CopyTask task;  ///< complete except for the memory of its source
  };
  std::vector<Copy> copies(int patch, Index record) const;

  /// Moves all records to Samples::records() on every rank and waits for all work. Must be called
  /// before patches change. Collective.
  void collect(Domain& domain);

 private:
  /// The cells of a sampled part that lie in one patch.
  struct Piece {
    std::size_t part = 0;
    Box box;  ///< in global cells
    /// Its first byte in a record of the patch, ordered as in the field's memory.
    std::size_t first = 0;
  };
  struct Place {
    int patch = 0;
    Index3 origin;  ///< global index of local cell (0, 0, 0)
    std::vector<Piece> pieces;
    std::size_t bytes = 0;  ///< bytes of one record of this patch
    std::shared_ptr<std::byte> memory;
  };
  struct Moment {
    Index step = 0;
    double time = 0;
  };
  /// Returns the strides of a dense array over `box` in the memory order of the field.
  static std::array<Index, 3> strides(const FieldRecord& field, const Box& box);
  void unpack(const Place& place, const std::byte* record, std::byte* values) const;

  void allocate(Domain& domain);

  std::shared_ptr<Samples> samples_;
  std::vector<Place> places_;
  std::vector<Moment> clock_;  ///< when each record was taken
  Index most_ = 0;             ///< the number of records that fit
  int distribution_ = -1;      ///< the number of the domain's distribution that the places are for
};

}  // namespace goban
