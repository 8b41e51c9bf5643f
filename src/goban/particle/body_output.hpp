#pragma once
// Bodies in files.

#include "goban/particle/population.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {

class BodyOutput : public SimulationOutput {
 public:
  BodyOutput(std::shared_ptr<Population> population, When when)
      : SimulationOutput("bodies", std::move(when)), population_(std::move(population)) {}

  double bytes_per_write() const override;
  void open(const RunPlace& place, std::optional<Index> keep_until) override;
  void write(const Moment& moment) override;
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string describe() const override { return "bodies as VTK PolyData"; }

 private:
  std::string stem() const { return place_.name + "_" + name(); }

  std::shared_ptr<Population> population_;
  RunPlace place_;
  std::vector<std::filesystem::path> files_;
};

/// Collective; rank 0 writes. Points of VTK PolyData (.vtp, appended raw data), pieces of so many
/// bodies, in the grid's unit of length; velocities per step. Error (files).
void write_polydata(const std::filesystem::path& path, Population& population,
                    Index bodies_of_piece = 1 << 16);

}  // namespace goban
