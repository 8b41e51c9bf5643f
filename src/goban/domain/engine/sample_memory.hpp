#pragma once
// Where samples lie until the host wants them: with every patch, one record after the other.

#include <memory>
#include <vector>

#include "goban/domain/data/domain.hpp"
#include "goban/program/samples.hpp"

namespace goban {

/// The memory of one sample stage. Samples are written there by copies in the queues of the
/// patches.
class SampleMemory {
 public:
  explicit SampleMemory(std::shared_ptr<Samples> samples) : samples_(std::move(samples)) {}

  const Samples& samples() const { return *samples_; }
  /// Records that have not been collected.
  Index taken() const { return static_cast<Index>(clock_.size()); }

  /// Before work is submitted that takes so many records: collects what is in their way.
  /// Collective.
  void make_room(Domain& domain, Index records);
  /// A record begins; returns its number.
  Index begin(Index step, double time);

  /// A copy for every component of every part that the patch has some of, into a record. Fields
  /// come from binding(number of the field, component).
  struct Copy {
    std::size_t field = 0;
    int component = 0;
    CopyTask task;  ///< its source without memory
  };
  std::vector<Copy> copies(int patch, Index record) const;

  /// Takes all records to Samples::records(), on every rank; waits for all work. Before patches
  /// change. Collective.
  void collect(Domain& domain);

 private:
  /// What a patch has of a part.
  struct Piece {
    std::size_t part = 0;
    Box box;                ///< global
    std::size_t first = 0;  ///< byte in a record of the patch; as in memory of the field
  };
  struct Place {
    int patch = 0;
    Index3 origin;  ///< global index of local cell (0, 0, 0)
    std::vector<Piece> pieces;
    std::size_t bytes = 0;  ///< bytes of a record
    std::shared_ptr<std::byte> memory;
  };
  struct Moment {
    Index step = 0;
    double time = 0;
  };
  /// Dense, in the order of the field.
  static std::array<Index, 3> strides(const FieldRecord& field, const Box& box);
  void unpack(const Place& place, const std::byte* record, std::byte* values) const;

  void allocate(Domain& domain);

  std::shared_ptr<Samples> samples_;
  std::vector<Place> places_;
  std::vector<Moment> clock_;  ///< when each record was taken
  Index most_ = 0;             ///< how many records there is room for
  int distribution_ = -1;      ///< the number of the domain's distribution that the places are for
};

}  // namespace goban
