#include "goban/simulation/output/snapshot_output.hpp"

#include <nlohmann/json.hpp>

#include "goban/base/error.hpp"
#include "goban/io/case/names.hpp"
#include "goban/simulation/output/levels.hpp"
#include "goban/simulation/output/numbered_files.hpp"
#include "goban/simulation/output/outputs.hpp"

namespace goban {
namespace {

/// "u_v"; a long list is "fields".
std::string group_name(const std::vector<AnyField>& fields) {
  if (fields.size() > 3) return "fields";
  std::string name;
  for (const AnyField& field : fields) name += (name.empty() ? "" : "_") + field.name();
  return name;
}

class SnapshotOutput : public SeriesOfSnapshots {
 public:
  /// Errors (usage): no fields, fields of several grids.
  SnapshotOutput(std::vector<AnyField> fields, When when, const OutputOptions& options)
      : SeriesOfSnapshots(options.name.empty() ? group_name(fields) : options.name,
                          std::move(when)),
        fields_(std::move(fields)) {
    require(!fields_.empty(), "an output without fields is refused", "",
            "name the fields: output({u}, every(100))");
    for (const AnyField& field : fields_) {
      require(&field.grid() == &fields_.front().grid(),
              "fields '" + fields_.front().name() + "' and '" + field.name() +
                  "' cannot be in one output",
              "they are of two grids", "make one output for each grid");
    }
  }

  std::vector<AnyField> fields() const override { return fields_; }
  bool is_snapshot() const override { return true; }
  double bytes_per_write() const override {
    double bytes = 0;
    for (const AnyField& field : fields_) {
      const FieldRecord& record = *field.record();
      bytes += static_cast<double>(
          byte_count(stored_type(record.type), field.grid().cells, record.components));
    }
    return bytes;
  }
  void open(const RunPlace& place, std::optional<Index> keep_until) override {
    open_series(place, names_of(fields_), keep_until);
    if (!keep_until) return;
    series_->recall(steps_to_find_, [this](Index step, double time) {
      return snapshot_at({step, time, 0});
    });
  }
  void write(const Moment& moment) override { add(snapshot_at(moment.clock)); }
  std::string describe() const override {
    return joined(names_of(fields_)) + " as " + snapshot_format();
  }
  nlohmann::ordered_json state() const override {
    return {{"index", series_ ? series_->steps() : IndexedSteps()}};
  }
  void restore(const nlohmann::ordered_json& state) override {
    steps_to_find_ = state.at("index").get<IndexedSteps>();
  }

 private:
  Snapshot snapshot_at(const Clock& clock) const {
    Snapshot snapshot = empty_snapshot(fields_.front().grid(), place_, clock);
    snapshot.node = nodes_of(fields_.front());
    for (const AnyField& field : fields_) {
      const FieldRecord& record = *field.record();
      snapshot.fields.emplace_back(record.name, field.unit(), record.type, record.components,
                                   [&field, &record](const Box& box, void* elements) {
                                     field.store().copy_out(record, box, elements);
                                   });
      snapshot.fields.back().location = record.location;
    }
    return snapshot;
  }

  std::vector<AnyField> fields_;
  IndexedSteps steps_to_find_;  ///< in the index of the run that is continued
};

}  // namespace

Snapshot empty_snapshot(const GridState& grid, const RunPlace& place, const Clock& clock) {
  Snapshot snapshot;
  snapshot.extents = grid.cells;
  snapshot.active = grid.active;
  snapshot.origin = grid.origin;
  snapshot.spacing = grid.spacing;
  snapshot.time = clock.time;
  snapshot.step = clock.step;
  snapshot.length_unit = place.length_unit;
  snapshot.time_unit = place.time_unit;
  snapshot.config = place.case_text;
  snapshot.provenance = place.provenance;
  return snapshot;
}

void SeriesOfSnapshots::open_series(const RunPlace& place, const std::vector<std::string>& fields,
                                    std::optional<Index> keep_until) {
  place_ = place;
  const std::string stem = place.name + "_" + name();
  if (keep_until && place.writes) {
    std::vector<std::string> endings{".vtkhdf"};
    if (!have_hdf5()) {
      endings.clear();
      for (const std::string& field : fields) endings.push_back("." + field + ".npy");
    }
    files_ = keep_numbered(place.directory, stem, endings, *keep_until);
  }
  series_.emplace(place.directory, stem, keep_until, place.ranks);
}

void SeriesOfSnapshots::add(const Snapshot& snapshot) {
  const WrittenSnapshot written = series_->write(snapshot);
  if (place_.writes) files_.insert(files_.end(), written.files.begin(), written.files.end());
}

std::vector<std::filesystem::path> SeriesOfSnapshots::files() const {
  if (files_.empty()) return {};
  std::vector<std::filesystem::path> all{series_->index()};
  all.insert(all.end(), files_.begin(), files_.end());
  return all;
}

std::unique_ptr<SimulationOutput> snapshot_output(std::vector<AnyField> fields, When when,
                                                  const OutputOptions& options) {
  return std::make_unique<SnapshotOutput>(std::move(fields), std::move(when), options);
}

}  // namespace goban
