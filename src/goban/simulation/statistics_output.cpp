#include "goban/simulation/statistics_output.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "goban/checkpoint/blocks.hpp"
#include "goban/domain/domain.hpp"
#include "goban/simulation/numbered_files.hpp"
#include "goban/simulation/snapshot_output.hpp"

namespace goban {
namespace {

constexpr Index bytes_at_a_time = Index{4} << 20;
constexpr const char* kinds[] = {"mean", "variance", "minimum", "maximum"};

/// The rows of a box of cells, component by component: where they are in the box and in arrays of
/// all cells.
class Rows {
 public:
  Rows(const Box& box, Index3 cells, int components)
      : box_(box), cells_(cells), components_(components) {}
  Index count() const { return components_ * box_.extent(2) * box_.extent(1); }
  Index length() const { return box_.extent(0); }
  Index in_box(Index row) const { return row * length(); }
  Index in_arrays(Index row) const {
    const Index y = row % box_.extent(1), plane = row / box_.extent(1);
    const Index z = plane % box_.extent(2), component = plane / box_.extent(2);
    return ((component * cells_[2] + box_.lower[2] + z) * cells_[1] + box_.lower[1] + y) *
               cells_[0] +
           box_.lower[0];
  }

 private:
  Box box_;
  Index3 cells_;
  Index components_;
};

CheckpointArray array_of(const AnyField& field, const std::string& name, std::span<double> values) {
  const Index3 cells = field.cells().extents();
  const int components = field.record()->components;
  CheckpointArray array{.name = name,
                        .type = ElementType::float64,
                        .extents = cells,
                        .components = components,
                        .optional = true};
  array.copy_out = [=](const Box& box, void* elements) {
    const Rows rows(box, cells, components);
    for (Index row = 0; row < rows.count(); ++row) {
      std::copy_n(values.data() + rows.in_arrays(row), rows.length(),
                  static_cast<double*>(elements) + rows.in_box(row));
    }
  };
  array.copy_in = [=](const Box& box, const void* elements) {
    const Rows rows(box, cells, components);
    for (Index row = 0; row < rows.count(); ++row) {
      std::copy_n(static_cast<const double*>(elements) + rows.in_box(row), rows.length(),
                  values.data() + rows.in_arrays(row));
    }
  };
  return array;
}

}  // namespace

StatisticsOutput::StatisticsOutput(AnyField field, When when, double from)
    : SimulationOutput(field.name() + "_statistics", std::move(when)),
      field_(std::move(field)),
      from_(from) {}

/// The first rank has them all.
bool StatisticsOutput::has_values() const {
  return field_.grid().context->communicator()->rank() == 0;
}

RunningStatistics& StatisticsOutput::statistics() {
  const Index all = field_.cells().volume() * field_.record()->components;
  if (!statistics_) statistics_.emplace(has_values() ? all : 0);
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
  if (!place.writes) {
    if (!keep_until) statistics_.reset();
    return;
  }
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
    if (place_.writes) write_file(moment.clock);
    written_ = step;
  }
}

void StatisticsOutput::sample() {
  const FieldRecord& record = *field_.record();
  const Index bytes_per_cell = static_cast<Index>(record.element_size()) * record.components;
  const Index3 cells = field_.cells().extents();
  std::vector<std::byte> values;
  statistics().begin_sample();
  for (const Box& block : blocks_of(cells, bytes_per_cell, bytes_at_a_time)) {
    const Box box = has_values() ? block : Box{};
    values.resize(static_cast<std::size_t>(box.volume() * bytes_per_cell));
    field_.store().copy_out(record, box, values.data());
    visit_element(record.type, [&]<class T>(T) {
      const T* elements = reinterpret_cast<const T*>(values.data());
      const Rows rows(box, cells, record.components);
      domain_of(field_.grid()).some_executor().parallel(rows.count(), [&](Index begin, Index end) {
        for (Index row = begin; row < end; ++row) {
          statistics_->accumulate(rows.in_arrays(row), elements + rows.in_box(row), rows.length());
        }
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
