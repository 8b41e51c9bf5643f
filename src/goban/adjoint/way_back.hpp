#pragma once
// How far a way back has come, in a folder, so that it goes on where its process ended.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "goban/adjoint/adjoint_fields.hpp"
#include "goban/adjoint/number_stages.hpp"
#include "goban/checkpoint/directory_store.hpp"

namespace goban::detail {

/// Adjoint fields and numbers as they were when steps from some number on were taken back, in a
/// checkpoint. All members are collective. Errors (files).
class WayBack {
 public:
  /// `folder` is one that all processes see. `key` tells what the way starts from; the checkpoint
  /// of another start is of no use.
  WayBack(const std::filesystem::path& folder, std::string key, const AdjointFields& fields,
          const AdjointNumbers& numbers);

  /// The steps that were still to be taken back when it was saved, and the objective's value.
  struct Place {
    Index steps_left = 0;
    double value = 0;
  };
  /// Has fields and numbers hold what they held at that time; nothing if there is no such file.
  std::optional<Place> restore();
  void save(const Place& place);
  /// The way is over.
  void remove();

 private:
  CheckpointSubject subject() const;

  std::filesystem::path folder_;
  std::string key_;
  std::shared_ptr<GridState> grid_;
  FieldMap<FieldPointer> fields_;
  AdjointNumbers numbers_;
  DirectoryStore store_;
};

}  // namespace goban::detail
