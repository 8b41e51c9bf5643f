#include "flow/spectrum_output.hpp"

#include "goban/io/file/csv.hpp"
#include "goban/simulation/output/numbered_files.hpp"
#include "goban/solver/spectrum.hpp"

namespace goban::flow {
namespace {

class SpectrumOutput : public SimulationOutput {
 public:
  SpectrumOutput(std::vector<AnyField> velocity, When when)
      : SimulationOutput("spectrum", std::move(when)), velocity_(std::move(velocity)) {
    require_spectrum(velocity_.front().grid());
  }
  std::vector<AnyField> fields() const override { return velocity_; }
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string describe() const override { return "energy spectrum as CSV"; }

  void open(const RunPlace& place, std::optional<Index> keep_until) override {
    place_ = place;
    if (keep_until && place.writes) {
      files_ = keep_numbered(place.directory, stem(), {".csv"}, *keep_until);
    }
  }

  void write(const Moment& moment) override {
    std::vector<std::vector<double>> table(2);
    for (const AnyField& field : velocity_) {
      const std::vector<double> values = values_of(field);
      if (!place_.writes) continue;
      const std::vector<SpectrumLine> lines = spectrum_of(field.grid(), values);
      for (auto& column : table) column.resize(lines.size());
      for (std::size_t l = 0; l < lines.size(); ++l) {
        table[0][l] = lines[l].wave_number;
        table[1][l] += lines[l].density;
      }
    }
    set_last(moment.clock.step);
    if (!place_.writes) return;
    files_.push_back(place_.directory / numbered_name(stem(), moment.clock.step, ".csv"));
    write_csv(files_.back(), {{"k", "1/m"}, {"E", "m3/s2"}}, table);
  }

 private:
  std::string stem() const { return place_.name + "_spectrum"; }

  /// All of them on the rank that writes, none elsewhere.
  std::vector<double> values_of(const AnyField& field) const {
    const Box all = place_.writes ? field.cells() : Box{};
    std::vector<double> values;
    visit_element(field.record()->type, [&]<class T>(T) {
      std::vector<T> elements(static_cast<std::size_t>(all.volume()));
      field.store().copy_out(*field.record(), all, elements.data());
      for (const T value : elements) {
        values.push_back(static_cast<double>(static_cast<ArithmeticOf<T>>(value)));
      }
    });
    return values;
  }

  std::vector<AnyField> velocity_;
  RunPlace place_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace

std::unique_ptr<SimulationOutput> spectrum_output(std::vector<AnyField> velocity, When when) {
  return std::make_unique<SpectrumOutput>(std::move(velocity), std::move(when));
}

}  // namespace goban::flow
