#pragma once
// What the ground does at receivers, over time.

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "goban/io/csv.hpp"
#include "goban/simulation/output.hpp"

namespace goban::seismic {

struct Receiver {
  std::string name;
  Real3 position{};  ///< m
};

/// Velocity and its integral over time, the displacement, at points: <case>_<receiver>.csv each.
///
/// Values are interpolated with cubics from the 4 nearest along every axis; where fewer lie on one
/// side (at a free surface) from the nearest 4. Displacements grow by the mean of two successive
/// velocities times the time between: sample every step for exact ones.
class Seismograms : public SimulationOutput {
 public:
  /// `velocity`: fields of faces, by axis; two of them are those along x and z.
  Seismograms(std::vector<AnyField> velocity, std::vector<Receiver> receivers, When when);

  /// One sample: time, velocities, displacements.
  using Row = std::vector<double>;
  /// Of a receiver, so far. Error (usage): no receiver of this name.
  const std::vector<Row>& rows(const std::string& receiver) const;
  /// "velocity_x" ... "displacement_z": where they stand in a row.
  std::size_t column(const std::string& quantity) const;
  std::vector<std::string> quantities() const;

  std::vector<AnyField> fields() const override { return velocity_; }
  void open(const RunPlace& place, std::optional<Index> keep_until) override;
  void write(const Moment& moment) override;
  std::vector<std::filesystem::path> files() const override;
  std::string describe() const override;
  nlohmann::ordered_json state() const override;
  void restore(const nlohmann::ordered_json& state) override;

 private:
  double velocity_at(const AnyField& field, Real3 position) const;

  std::vector<AnyField> velocity_;
  std::vector<Receiver> receivers_;
  std::vector<std::vector<Row>> rows_;  ///< of every receiver
  std::vector<CsvSeries> series_;
};

}  // namespace goban::seismic
