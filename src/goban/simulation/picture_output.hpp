#pragma once
// Slices of a field as PNG pictures.

#include "goban/simulation/options.hpp"
#include "goban/simulation/output.hpp"

namespace goban {

class PictureOutput : public SimulationOutput {
 public:
  /// Errors (usage): no such component, a slice outside of the grid.
  PictureOutput(AnyField field, PictureOptions options, When when);

  std::vector<AnyField> fields() const override { return {field_}; }
  void open(const RunPlace& place, std::optional<Index> keep_until) override;
  void write(const Moment& moment) override;
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string describe() const override;

 private:
  std::string title(const Clock& clock) const;

  AnyField field_;
  PictureOptions options_;
  Index layer_;  ///< of cells along the axis
  RunPlace place_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace goban
