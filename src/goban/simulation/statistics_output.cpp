#include "goban/simulation/statistics_output.hpp"

#include <algorithm>

#include "goban/checkpoint/blocks.hpp"
#include "goban/simulation/numbered_files.hpp"
#include "goban/simulation/snapshot_output.hpp"

namespace goban {
namespace {

constexpr Index bytes_at_a_time = Index{4} << 20;
constexpr const char* kinds[] = {"mean", "variance", "minimum", "maximum"};

/// Rows of a box of cells within arrays of all cells, component by component: visit(position in
/// the arrays, position in the box, count).
template <class Visit>
void visit_rows(const Box& box, Index3 cells, int components, Visit&& visit) {
  const Index3 n = box.extents();
  Index at = 0;
  for (int c = 0; c < components; ++c) {
    for (Index z = box.lower[2]; z < box.upper[2]; ++z) {
      for (Index y = box.lower[1]; y < box.upper[1]; ++y, at += n[0]) {
        visit(((c * cells[2] + z) * cells[1] + y) * cells[0] + box.lower[0], at, n[0]);
      }
    }
  }
}

CheckpointArray array_of(const AnyField& field, const std::string& name, std::span<double> values) {
  const Index3 cells = field.cells().extents();
  const int components = field.record()->components;
  CheckpointArray array{.name = name,
                        .type = ElementType::float64,
                        .extents = cells,
                        .components = components,
                        .optional = true};
  array.copy_out = [=](const Box& box, void* elements) {
    visit_rows(box, cells, components, [&](Index from, Index to, Index n) {
      std::copy_n(values.data() + from, n, static_cast<double*>(elements) + to);
    });
  };
  array.copy_in = [=](const Box& box, const void* elements) {
    visit_rows(box, cells, components, [&](Index to, Index from, Index n) {
      std::copy_n(static_cast<const double*>(elements) + from, n, values.data() + to);
    });
  };
  return array;
}

}  // namespace

StatisticsOutput::StatisticsOutput(AnyField field, When when, double from)
    : SimulationOutput(field.name() + "_statistics", std::move(when)),
      field_(std::move(field)),
      from_(from) {}

RunningStatistics& StatisticsOutput::statistics() {
  if (!statistics_) statistics_.emplace(field_.cells().volume() * field_.record()->components);
  return *statistics_;
}

std::vector<std::string> StatisticsOutput::names() const {
  std::vector<std::string> all;
  for (const char* kind : kinds) all.push_back(field_.name() + "_" + kind);
  return all;
}

void StatisticsOutput::open(const RunPlace& place, std::optional<Index> keep_until) {
  place_ = place;
  const std::string stem = place.name + "_" + name();
  if (keep_until) {
    keep_until = written_;
    files_ = keep_numbered(place.directory, stem, snapshot_endings(names()), *keep_until);
  } else {
    statistics_.reset();  // a checkpoint that was refused half-way may have left values
  }
  series_.emplace(place.directory, stem, keep_until);
}

bool StatisticsOutput::acts_on(const Moment& moment) const {
  return moment.due || moment.snapshot || moment.over;
}

void StatisticsOutput::write(const Moment& moment) {
  const Index step = moment.clock.step;
  if (moment.due && moment.clock.time >= from_ && sampled_ != step) {
    sample();
    sampled_ = step;
  }
  if ((moment.snapshot || moment.over) && statistics().samples() > 0 && written_ != step) {
    write_file(moment.clock);
    written_ = step;
  }
}

void StatisticsOutput::sample() {
  const FieldRecord& record = *field_.record();
  const Index bytes_per_cell = static_cast<Index>(record.element_size()) * record.components;
  const Index3 cells = field_.cells().extents();
  std::vector<std::byte> values;
  statistics().begin_sample();
  for (const Box& box : blocks_of(cells, bytes_per_cell, bytes_at_a_time)) {
    values.resize(static_cast<std::size_t>(box.volume() * bytes_per_cell));
    field_.store().copy_out(record, box, values.data());
    visit_element(record.type, [&]<class T>(T) {
      const T* elements = reinterpret_cast<const T*>(values.data());
      visit_rows(box, cells, record.components, [&](Index to, Index from, Index n) {
        statistics_->accumulate(to, elements + from, n);
      });
    });
  }
}

void StatisticsOutput::write_file(const Clock& clock) {
  const RunningStatistics& now = statistics();
  const Index all = now.cells();
  std::vector<double> variance(static_cast<std::size_t>(all));
  for (Index i = 0; i < all; ++i) variance[static_cast<std::size_t>(i)] = now.variance(i);
  const double* const values[] = {now.mean().data(), variance.data(), now.minimum().data(),
                                  now.maximum().data()};
  Snapshot snapshot = empty_snapshot(field_.grid(), place_, clock);
  const auto heading = names();
  for (std::size_t k = 0; k < heading.size(); ++k) {
    const ArrayView view = dense_view(ElementType::float64, field_.cells().extents(),
                                      field_.record()->components, values[k], heading[k]);
    const std::string square = field_.unit().empty() ? "" : "(" + field_.unit() + ")2";
    snapshot.fields.emplace_back(view, k == 1 ? square : field_.unit());
  }
  const WrittenSnapshot written = series_->write(snapshot);
  files_.insert(files_.end(), written.files.begin(), written.files.end());
}

std::vector<std::filesystem::path> StatisticsOutput::files() const {
  if (files_.empty()) return {};
  std::vector<std::filesystem::path> all{series_->index()};
  all.insert(all.end(), files_.begin(), files_.end());
  return all;
}

std::string StatisticsOutput::describe() const {
  return "mean, variance, minimum and maximum of " + field_.name();
}

std::vector<CheckpointArray> StatisticsOutput::arrays() {
  const std::string prefix = "statistics of " + field_.name() + ": ";
  return {array_of(field_, prefix + "mean", statistics().mean()),
          array_of(field_, prefix + "deviation", statistics().deviation()),
          array_of(field_, prefix + "minimum", statistics().minimum()),
          array_of(field_, prefix + "maximum", statistics().maximum())};
}

nlohmann::ordered_json StatisticsOutput::state() const {
  return {{"samples", statistics_ ? statistics_->samples() : 0},
          {"sampled", sampled_},
          {"written", written_}};
}

void StatisticsOutput::restore(const nlohmann::ordered_json& state) {
  statistics().set_samples(state.at("samples"));
  sampled_ = state.at("sampled");
  written_ = state.at("written");
}

}  // namespace goban
