#pragma once
// Values of some cells at every step, kept where they are computed until the host wants them.

#include <cstddef>
#include <memory>
#include <vector>

#include "goban/field/record.hpp"

namespace goban {

/// What Program::sample takes of fields of one grid, and what it has taken; the same on every rank.
class Samples {
 public:
  /// Values of one field, global indices.
  struct Part {
    std::size_t field = 0;  ///< number among fields()
    Box box;
    std::size_t first = 0;  ///< byte in a record: x fastest, component slowest
    std::size_t bytes = 0;
  };
  /// What one run of the stage has taken.
  struct Record {
    Index step = 0;   ///< steps done then
    double time = 0;  ///< simulated
    std::vector<std::byte> values;
  };

  explicit Samples(std::shared_ptr<GridState> grid) : grid_(std::move(grid)) {}

  /// Returns the number of the part. Error (ExitCode::usage): values the field does not have.
  std::size_t add(const std::shared_ptr<FieldRecord>& field, const Box& box);

  const std::shared_ptr<GridState>& grid() const { return grid_; }
  const std::vector<std::shared_ptr<FieldRecord>>& fields() const { return fields_; }
  const std::vector<Part>& parts() const { return parts_; }
  const FieldRecord& field_of(const Part& part) const { return *fields_[part.field]; }
  /// The bytes of a record; a multiple of 8, as those of all parts are.
  std::size_t bytes() const { return bytes_; }

  /// Complete when Engine::synchronize() has returned; whoever has seen them may clear them.
  std::vector<Record>& records() { return records_; }

 private:
  std::shared_ptr<GridState> grid_;
  std::vector<std::shared_ptr<FieldRecord>> fields_;
  std::vector<Part> parts_;
  std::size_t bytes_ = 0;
  std::vector<Record> records_;
};

}  // namespace goban
