#pragma once
// What the ground does at receivers, over time.

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "goban/io/file/csv.hpp"
#include "goban/simulation/output/output.hpp"
#include "seismic/interpolation.hpp"

namespace goban::seismic {

struct Receiver {
  std::string name;
  Real3 position{};  ///< m
};

/// Which files there are; velocity and displacement are in one of CSV, each of their components in
/// one of SAC. A file of SEG-Y holds one component at all receivers.
struct SeismogramFormats {
  bool csv = true, sac = false, segy = false;

  /// Files that are written whole.
  bool are_whole() const { return sac || segy; }
};

/// Velocity and its integral over time, the displacement, at points: <case>_<receiver>.csv each,
/// <case>_<receiver>_velocity_x.sac ..., <case>_velocity_x.sgy ..., or all of them.
///
/// Rows of CSV can be read while the run goes on; files of SAC and SEG-Y are written whole with
/// every checkpoint and at the end. A run that goes on with other receivers begins them anew.
///
/// Values are interpolated with cubics from the 4 nearest along every axis; where fewer lie on one
/// side (at a free surface) from the nearest 4. Displacements grow by the mean of two successive
/// velocities times the time between: sample every step for exact ones.
class Seismograms : public SimulationOutput {
 public:
  /// `velocity`: fields of faces, by axis; two of them are those along x and z. `source`: where the
  /// waves come from, if that is one place.
  Seismograms(std::vector<AnyField> velocity, std::vector<Receiver> receivers, When when,
              SeismogramFormats formats = {}, std::optional<Real3> source = {});

  /// One sample: time, velocities, displacements.
  using Row = std::vector<double>;
  /// The rows of a receiver so far. Error (usage): no receiver of this name.
  const std::vector<Row>& rows(const std::string& receiver) const;
  /// "velocity_x" ... "displacement_z": where they stand in a row.
  std::size_t column(const std::string& quantity) const;
  std::vector<std::string> quantities() const;

  std::vector<AnyField> fields() const override { return velocity_; }
  std::vector<SampledBox> samples() const override;
  void open(const RunPlace& place, std::optional<Index> keep_until) override;
  void write(const Moment& moment) override;
  void sync() override;
  Index open_files() const override {
    return formats_.csv ? static_cast<Index>(receivers_.size()) : 0;
  }
  std::string lost_value() const override { return lost_value_; }
  std::vector<std::filesystem::path> files() const override;
  double bytes_per_write() const override;
  std::string describe() const override;
  /// All samples: they are too many for the state.
  std::vector<CheckpointArray> arrays() override;
  nlohmann::ordered_json state() const override;
  void restore(const nlohmann::ordered_json& state) override;

 private:
  /// What a component of the velocity at a receiver is made of.
  struct Place {
    Box box;
    std::array<Weights, 3> weights;
    double interpolated(const Array& values) const;
  };
  static Place place_at(const AnyField& field, Real3 position);
  std::size_t row_length() const { return 1 + 2 * velocity_.size(); }
  Index samples_taken() const { return static_cast<Index>(rows_.empty() ? 0 : rows_[0].size()); }
  Communicator& ranks() const { return *velocity_.front().grid().context->communicator(); }
  nlohmann::ordered_json places() const;
  void copy_rows(const Box& box, double* values) const;
  void take_rows(const Box& box, const double* values);
  bool has_interval() const { return !rows_.empty() && rows_.front().size() > 1; }
  std::filesystem::path sac_path(const Receiver& receiver, const std::string& quantity) const;
  std::filesystem::path segy_path(const std::string& quantity) const;
  /// Error (usage): samples are not evenly spaced, which no other format than CSV can say.
  double interval(std::size_t receiver) const;
  void write_sac(std::size_t receiver) const;
  void write_segy(const std::string& quantity) const;

  std::vector<AnyField> velocity_;
  std::vector<Receiver> receivers_;
  std::vector<Place> places_;           ///< a place for every receiver and field
  std::vector<std::vector<Row>> rows_;  ///< rows of every receiver
  SeismogramFormats formats_;
  std::optional<Real3> source_;
  RunPlace place_;
  std::vector<CsvSeries> series_;
  bool is_continued_ = false;  ///< by a checkpoint of the same receivers
  Index synced_ = 0;           ///< samples in the files that are written whole
  std::string lost_value_;
};

}  // namespace goban::seismic
