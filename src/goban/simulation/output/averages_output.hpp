#pragma once
// Profiles along an axis, averaged over planes and time, as CSV files.

#include <optional>

#include "goban/simulation/options.hpp"
#include "goban/simulation/output/output.hpp"
#include "goban/simulation/output/plane_averages.hpp"

namespace goban {

/// Samples when its schedule says so; writes with every snapshot of others and when the run is
/// over.
class AveragesOutput : public SimulationOutput {
 public:
  /// Errors (usage): no fields, fields of several grids or of different places along the axis,
  /// covariances of components that are not there or lie elsewhere.
  AveragesOutput(const std::string& name, std::vector<AnyField> fields,
                 const AverageOptions& options, When when);

  std::vector<AnyField> fields() const override { return fields_; }
  Index bytes_needed() const override { return averages_.bytes(); }
  double bytes_per_write() const override;
  /// How often it writes, at least.
  Index writes(Index, double) const override { return 1; }
  bool is_last() const override { return true; }
  void open(const RunPlace& place, std::optional<Index> keep_until) override;
  bool acts_on(const Moment& moment) const override;
  void write(const Moment& moment) override;
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string describe() const override;
  nlohmann::ordered_json state() const override;
  void restore(const nlohmann::ordered_json& state) override;

 private:
  /// A field and a component of it.
  using Quantity = std::pair<std::size_t, int>;
  std::string label(std::size_t quantity) const;
  std::size_t quantity_named(const std::string& label) const;
  std::vector<PlaneAverages::Pair> pairs_of(const AverageOptions& options);
  void sample(double time);
  void accumulate();
  void accumulate(const Box& box);
  void write_file(Index step);

  std::vector<AnyField> fields_;
  std::size_t axis_;
  double from_;
  std::vector<Quantity> quantities_;
  PlaneAverages averages_;
  Index sampled_ = -1, written_ = -1;  ///< last steps
  RunPlace place_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace goban
