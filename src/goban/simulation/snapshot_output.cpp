#include "goban/simulation/snapshot_output.hpp"

#include "goban/base/error.hpp"
#include "goban/base/lead.hpp"
#include "goban/simulation/numbered_files.hpp"

namespace goban {
namespace {

std::vector<std::string> names_of(const std::vector<AnyField>& fields) {
  std::vector<std::string> names;
  for (const AnyField& field : fields) names.push_back(field.name());
  return names;
}

/// "u_v"; a long list is "fields".
std::string group_name(const std::vector<AnyField>& fields) {
  if (fields.size() > 3) return "fields";
  std::string name;
  for (const AnyField& field : fields) name += (name.empty() ? "" : "_") + field.name();
  return name;
}

}  // namespace

Snapshot empty_snapshot(const GridState& grid, const RunPlace& place, const Clock& clock) {
  Snapshot snapshot;
  snapshot.extents = grid.cells;
  snapshot.origin = grid.origin;
  snapshot.spacing = grid.spacing;
  snapshot.time = clock.time;
  snapshot.step = clock.step;
  snapshot.config = place.case_text;
  snapshot.provenance = place.provenance;
  return snapshot;
}

std::vector<std::string> snapshot_endings(const std::vector<std::string>& fields) {
  if (have_hdf5()) return {".vtkhdf"};
  std::vector<std::string> endings;
  for (const std::string& field : fields) endings.push_back("." + field + ".npy");
  return endings;
}

SnapshotOutput::SnapshotOutput(std::vector<AnyField> fields, When when,
                               const OutputOptions& options)
    : SimulationOutput(options.name.empty() ? group_name(fields) : options.name, std::move(when)),
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

void SnapshotOutput::open(const RunPlace& place, std::optional<Index> keep_until) {
  place_ = place;
  if (!place.writes) return;
  const std::string stem = place.name + "_" + name();
  if (keep_until) {
    files_ = keep_numbered(place.directory, stem, snapshot_endings(names_of(fields_)), *keep_until);
  }
  series_.emplace(place.directory, stem, keep_until);
}

void SnapshotOutput::write(const Moment& moment) {
  const auto values = [this](std::size_t f, const Box& box, void* elements) {
    fields_[f].store().copy_out(*fields_[f].record(), box, elements);
  };
  const GridState& grid = fields_.front().grid();
  const auto lead = [&](const Announce& announce) {
    Snapshot snapshot = empty_snapshot(grid, place_, moment.clock);
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const FieldRecord& record = *fields_[f].record();
      snapshot.fields.emplace_back(record.name, fields_[f].unit(), record.type, record.components,
                                   [&values, &announce, f](const Box& box, void* elements) {
                                     announce(static_cast<std::int64_t>(f));
                                     values(f, box, elements);
                                   });
    }
    const WrittenSnapshot written = series_->write(snapshot);
    files_.insert(files_.end(), written.files.begin(), written.files.end());
  };
  lead_ranks(*grid.context->communicator(), lead,
             [&](std::int64_t f) { values(static_cast<std::size_t>(f), {}, nullptr); });
}

std::vector<std::filesystem::path> SnapshotOutput::files() const {
  if (files_.empty()) return {};
  std::vector<std::filesystem::path> all{series_->index()};
  all.insert(all.end(), files_.begin(), files_.end());
  return all;
}

std::string SnapshotOutput::describe() const {
  std::string text;
  for (const AnyField& field : fields_) text += (text.empty() ? "" : ", ") + field.name();
  return text + " as " + snapshot_format();
}

}  // namespace goban
