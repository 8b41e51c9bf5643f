#include "goban/simulation/output/outputs.hpp"

#include <optional>

#include <array>
#include <nlohmann/json.hpp>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/data/shared_boxes.hpp"
#include "goban/grid/blocks.hpp"
#include "goban/grid/decomposition.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"
#include "goban/simulation/output/levels.hpp"
#include "goban/simulation/output/snapshot_output.hpp"
#include "goban/simulation/output/statistics.hpp"

namespace goban {
namespace {

constexpr Index bytes_at_a_time = Index{4} << 20;
constexpr const char* kinds[] = {"mean", "variance", "minimum", "maximum"};

/// The rows of a box, component by component: where they are in a dense array over it and in one
/// over a box around it.
class Rows {
 public:
  Rows(const Box& box, const Box& around, int components)
      : box_(box), around_(around), components_(components) {}
  Index count() const { return components_ * box_.extent(2) * box_.extent(1); }
  Index length() const { return box_.extent(0); }
  Index in_box(Index row) const { return row * length(); }
  Index in_arrays(Index row) const {
    const Index3 first = box_.lower - around_.lower;
    const Index y = row % box_.extent(1), plane = row / box_.extent(1);
    const Index z = plane % box_.extent(2), component = plane / box_.extent(2);
    return ((component * around_.extent(2) + first[2] + z) * around_.extent(1) + first[1] + y) *
               around_.extent(0) +
           first[0];
  }

 private:
  Box box_, around_;
  Index components_;
};

/// Samples when its schedule says so; writes with every snapshot of others and when the run is
/// over.
class StatisticsOutput : public SeriesOfSnapshots {
 public:
  StatisticsOutput(AnyField field, When when, double from)
      : SeriesOfSnapshots(field.name() + "_statistics", std::move(when)),
        field_(std::move(field)),
        from_(from) {
    require(!field_.grid().active, "statistics of '" + field_.name() + "' are refused",
            "its grid has active cells alone", "accumulate them in fields, by a stage");
  }

  std::vector<AnyField> fields() const override { return {field_}; }
  Index bytes_needed() const override {
    const Decomposition& decomposition = decomposition_of(field_.grid());
    const Box own = decomposition.owned_by(field_.grid().context->communicator()->rank());
    return own.volume() * field_.record()->components * RunningStatistics::bytes_per_cell;
  }
  double bytes_per_write() const override {
    const Index values = product(field_.grid().cells) * field_.record()->components;
    return static_cast<double>(names().size() * sizeof(double)) * static_cast<double>(values);
  }
  /// How often it writes, at least.
  Index writes(Index, double) const override { return 1; }
  bool is_last() const override { return true; }
  void open(const RunPlace& place, std::optional<Index> keep_until) override {
    if (keep_until) {
      keep_until = written_;
    } else {
      statistics_.reset();  // a checkpoint that was refused half-way may have left values
    }
    open_series(place, names(), keep_until);
    if (!keep_until) return;
    series_->recall(steps_to_find_, [this](Index step, double time) {
      return snapshot_at({step, time, 0}, {});
    });
  }
  bool acts_on(const Moment& moment) const override {
    return moment.due || moment.snapshot || moment.over;
  }
  void write(const Moment& moment) override {
    const Index step = moment.clock.step;
    if (moment.due && moment.clock.time >= from_ && sampled_ != step) {
      sample(moment.clock.time);
      sampled_ = step;
    }
    if ((moment.snapshot || moment.over) && statistics().samples() > 0 && written_ != step) {
      write_file(moment.clock);
      written_ = step;
    }
  }
  std::string describe() const override {
    return "mean, variance, minimum and maximum of " + field_.name();
  }

  std::vector<CheckpointArray> arrays() override {
    std::vector<CheckpointArray> arrays;
    const auto add = [&](const std::string& name, std::span<double> values) {
      CheckpointArray array{.name = "statistics of " + field_.name() + ": " + name,
                            .type = ElementType::float64,
                            .extents = field_.cells().extents(),
                            .components = field_.record()->components,
                            .optional = true};
      array.owned_by = [all = decomposition_](int rank) { return all.owned_by(rank); };
      array.copy_out = collected(values);
      const auto own = [own = own_, components = array.components, values](const Box& box,
                                                                           const void* elements) {
        copy_common(box, elements, own, values.data(), components, sizeof(double));
      };
      array.copy_in = [all = shared(), own](const Box& box, const void* elements) {
        all.copy_in(box, elements, own);
      };
      arrays.push_back(std::move(array));
    };
    RunningStatistics& now = statistics();
    add("last sample", now.last());
    add("mean", now.mean());
    add("deviation", now.deviation());
    add("minimum", now.minimum());
    add("maximum", now.maximum());
    return arrays;
  }
  nlohmann::ordered_json state() const override {
    return {{"samples", statistics_ ? statistics_->samples() : 0},
            {"time", statistics_ ? statistics_->time() : 0},
            {"span", statistics_ ? statistics_->span() : 0},
            {"sampled", sampled_},
            {"written", written_},
            {"index", series_ ? series_->steps() : IndexedSteps()}};
  }
  void restore(const nlohmann::ordered_json& state) override {
    statistics().set_samples(state.at("samples"), state.at("time"), state.at("span"));
    sampled_ = state.at("sampled");
    written_ = state.at("written");
    if (state.contains("index")) steps_to_find_ = state.at("index").get<IndexedSteps>();
  }

 private:
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const char* kind : kinds) all.push_back(field_.name() + "_" + kind);
    return all;
  }
  RunningStatistics& statistics() {
    if (!statistics_) {
      decomposition_ = decomposition_of(field_.grid());
      own_ = decomposition_.owned_by(field_.grid().context->communicator()->rank());
      statistics_.emplace(own_.volume() * field_.record()->components);
    }
    return *statistics_;
  }
  void sample(double time) {
    const FieldRecord& record = *field_.record();
    const Index bytes_per_cell = static_cast<Index>(record.element_size()) * record.components;
    RunningStatistics& statistics = this->statistics();
    statistics.begin_sample(time);
    std::vector<Box> boxes;
    if (!own_.empty()) boxes = blocks_of(own_.extents(), bytes_per_cell, bytes_at_a_time);
    // All ranks take part as often.
    std::array<std::int64_t, 1> most{static_cast<std::int64_t>(boxes.size())};
    field_.grid().context->communicator()->maximum(most);
    boxes.resize(static_cast<std::size_t>(most[0]));
    std::vector<std::byte> values;
    for (const Box& block : boxes) {
      const Box box = block.empty() ? block : shifted(block, own_.lower);
      values.resize(static_cast<std::size_t>(box.volume() * bytes_per_cell));
      field_.store().copy_out(record, box, values.data());
      visit_element(record.type, [&]<class T>(T) {
        const T* elements = reinterpret_cast<const T*>(values.data());
        const Rows rows(box, own_, record.components);
        domain_of(field_.grid())
            .some_executor()
            .parallel(rows.count(), [&](Index begin, Index end) {
              for (Index row = begin; row < end; ++row) {
                statistics.accumulate(rows.in_arrays(row), elements + rows.in_box(row),
                                      rows.length());
              }
            });
      });
    }
  }
  /// The snapshot, each field of which has the values of one of `sources`, if there are any.
  Snapshot snapshot_at(const Clock& clock, const std::vector<BoxSource>& sources) const {
    Snapshot snapshot = empty_snapshot(field_.grid(), place_, clock);
    snapshot.node = nodes_of(field_);
    const auto heading = names();
    for (std::size_t k = 0; k < heading.size(); ++k) {
      const bool is_variance = k == 1;
      const std::string square = field_.unit().empty() ? "" : "(" + field_.unit() + ")2";
      snapshot.fields.emplace_back(heading[k], is_variance ? square : field_.unit(),
                                   ElementType::float64, field_.record()->components,
                                   sources.empty() ? BoxSource() : sources[k]);
      snapshot.fields.back().location = field_.record()->location;
    }
    return snapshot;
  }
  void write_file(const Clock& clock) {
    const RunningStatistics& now = statistics();
    const double span = now.span();
    const int components = field_.record()->components;
    const auto variance = [&, deviation = collected(now.deviation())](const Box& box,
                                                                      void* elements) {
      deviation(box, elements);
      const auto values = static_cast<double*>(elements);
      for (Index i = 0; i < box.volume() * components; ++i)
        values[i] = span > 0 ? values[i] / span : 0;
    };
    add(snapshot_at(clock, {collected(now.mean()), variance, collected(now.minimum()),
                            collected(now.maximum())}));
  }
  /// Arrays of every rank's own cells, as ones of all cells.
  SharedBoxes shared() const {
    const auto cells_of = [all = decomposition_](int rank) { return all.owned_by(rank); };
    return {*field_.grid().context->communicator(), cells_of, field_.record()->components,
            sizeof(double)};
  }
  BoxSource collected(std::span<const double> values) const {
    const auto own = [own = own_, components = field_.record()->components, values](
                         const Box& box, void* elements) {
      copy_common(own, values.data(), box, elements, components, sizeof(double));
    };
    return
        [all = shared(), own](const Box& box, void* elements) { all.copy_out(box, elements, own); };
  }

  AnyField field_;
  double from_;
  Decomposition decomposition_;  ///< says whose arrays are of which cells
  Box own_;
  /// Statistics of own_, x fastest, component slowest.
  std::optional<RunningStatistics> statistics_;
  Index sampled_ = -1, written_ = -1;  ///< the last steps that were sampled and written
  IndexedSteps steps_to_find_;         ///< in the index of the run that is continued
};

}  // namespace

std::unique_ptr<SimulationOutput> statistics_output(AnyField field, When when, double from) {
  return std::make_unique<StatisticsOutput>(std::move(field), std::move(when), from);
}

}  // namespace goban
