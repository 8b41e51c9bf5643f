#include "goban/simulation/output/table_output.hpp"

#include "goban/simulation/output/numbered_files.hpp"

namespace goban {
namespace {

class TableOutput : public SimulationOutput {
 public:
  TableOutput(std::string name, std::string description, std::vector<AnyField> fields,
              std::vector<CsvColumn> headings, AddToTable add, When when)
      : SimulationOutput(std::move(name), std::move(when)),
        description_(std::move(description)),
        fields_(std::move(fields)),
        headings_(std::move(headings)),
        add_(std::move(add)) {}
  std::vector<AnyField> fields() const override { return fields_; }
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string describe() const override { return description_ + " as CSV"; }

  void open(const RunPlace& place, std::optional<Index> keep_until) override {
    place_ = place;
    if (keep_until && place.writes) {
      files_ = keep_numbered(place.directory, stem(), {".csv"}, *keep_until);
    }
  }

  void write(const Moment& moment) override {
    TableColumns table(headings_.size());
    for (const AnyField& field : fields_) {
      const std::vector<double> values = values_of(field);
      if (place_.writes) add_(field, values, table);
    }
    set_last(moment.clock.step);
    if (!place_.writes) return;
    files_.push_back(place_.directory / numbered_name(stem(), moment.clock.step, ".csv"));
    write_csv(files_.back(), headings_, table);
  }

 private:
  std::string stem() const { return place_.name + "_" + name(); }

  /// All of them on the rank that writes, none elsewhere.
  std::vector<double> values_of(const AnyField& field) const {
    const Box all = place_.writes ? field.cells() : Box{};
    std::vector<double> values;
    visit_element(field.record()->type, [&]<class T>(T) {
      std::vector<T> elements(static_cast<std::size_t>(all.volume()));
      copy_out(field.grid(), *field.record(), all, elements.data());
      for (const T value : elements) {
        values.push_back(static_cast<double>(static_cast<ArithmeticOf<T>>(value)));
      }
    });
    return values;
  }

  std::string description_;
  std::vector<AnyField> fields_;
  std::vector<CsvColumn> headings_;
  AddToTable add_;
  RunPlace place_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace

std::unique_ptr<SimulationOutput> table_output(std::string name, std::string description,
                                               std::vector<AnyField> fields,
                                               std::vector<CsvColumn> headings, AddToTable add,
                                               When when) {
  return std::make_unique<TableOutput>(std::move(name), std::move(description), std::move(fields),
                                       std::move(headings), std::move(add), std::move(when));
}

}  // namespace goban
