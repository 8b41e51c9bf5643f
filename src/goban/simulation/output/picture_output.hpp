#pragma once
// Slices of a field as PNG pictures.

#include "goban/io/picture/value_range.hpp"
#include "goban/simulation/options.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {

/// Where all pictures of a run have one range, which nobody knows before its end, the values of
/// each are kept in <directory>/.frames: a picture has the range of all before it, and gets that of
/// all when the run is over. Where the values are gone, the range stays, and pictures that follow
/// have it, too.
class PictureOutput : public SimulationOutput {
 public:
  /// Errors (usage): no such component, a slice outside of the grid.
  PictureOutput(AnyField field, PictureOptions options, When when, std::string length_unit = {});

  std::vector<AnyField> fields() const override;
  void open(const RunPlace& place, std::optional<Index> keep_until) override;
  bool acts_on(const Moment& moment) const override;
  void write(const Moment& moment) override;
  std::vector<std::filesystem::path> files() const override { return files_; }
  double bytes_per_write() const override;
  std::string describe() const override;
  nlohmann::ordered_json state() const override;
  void restore(const nlohmann::ordered_json& state) override;

 private:
  /// A picture that has been written, with the range and the colours it has.
  struct Frame {
    Index step = 0;
    double time = 0;
    double low = 0, high = 0;
    Colormap map = Colormap::sequential;
  };
  bool has_one_range() const;
  /// Of all ranks; those that do not write have none.
  Array read(const AnyField& field) const;
  void draw(const Array& values, Frame& frame) const;
  void redraw();
  std::filesystem::path picture_of(Index step) const;
  std::filesystem::path values_at(Index step) const;
  std::string title(const Clock& clock) const;
  /// "velocity magnitude", "velocity[2]".
  std::string quantity() const;
  /// "z = 11 m": the middle of the layer. Empty where the grid has no other.
  std::string place_of_cut() const;

  AnyField field_;
  PictureOptions options_;
  Index layer_;  ///< of cells along the axis
  std::string length_unit_;
  RunPlace place_;
  std::vector<std::filesystem::path> files_;
  Array outline_;
  std::vector<Frame> frames_;
  ValueSummary seen_;      ///< of all frames
  bool is_fixed_ = false;  ///< the range may not change: frames are there that cannot be redrawn
};

}  // namespace goban
