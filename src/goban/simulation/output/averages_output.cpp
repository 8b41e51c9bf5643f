#include "goban/simulation/output/averages_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "goban/domain/data/domain.hpp"
#include "goban/grid/blocks.hpp"
#include "goban/grid/each_cell.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/simulation/output/numbered_files.hpp"

namespace goban {
namespace {

constexpr Index bytes_at_a_time = Index{64} << 20;

/// The product of two units; empty ones are those of pure numbers.
std::string product_of(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return one + other;
  return one == other ? "(" + one + ")2" : "(" + one + ")(" + other + ")";
}

/// The fields' components, one after the other.
auto components_of(const std::vector<AnyField>& fields, const std::string& name) {
  require(!fields.empty(), "averages '" + name + "' have no fields");
  std::vector<std::pair<std::size_t, int>> all;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    for (int c = 0; c < fields[f].record()->components; ++c) all.emplace_back(f, c);
  }
  return all;
}

}  // namespace

AveragesOutput::AveragesOutput(const std::string& name, std::vector<AnyField> fields,
                               const AverageOptions& options, When when)
    : SimulationOutput(name, std::move(when)),
      fields_(std::move(fields)),
      axis_(static_cast<std::size_t>(index_of(options.axis))),
      from_(options.from),
      quantities_(components_of(fields_, name)),
      averages_(fields_.front().cells().extent(static_cast<int>(axis_)), quantities_.size(),
                pairs_of(options)) {
  const AnyField& first = fields_.front();
  const auto lies_between = [&](const AnyField& field) {
    return is_staggered(field.record()->location, static_cast<int>(axis_));
  };
  for (const AnyField& field : fields_) {
    const std::string refused = "averages '" + name + "' are refused";
    require(&field.grid() == &first.grid(), refused, "their fields are of two grids",
            "make one for each grid");
    require(!field.grid().active, refused, "planes of active cells have gaps",
            "reduce over a part of the grid instead");
    require(lies_between(field) == lies_between(first), refused,
            fmt::format("'{}' and '{}' lie at different places along {}", first.name(),
                        field.name(), "xyz"[axis_]),
            "make one for each");
  }
}

std::string AveragesOutput::label(std::size_t quantity) const {
  const auto& [field, component] = quantities_[quantity];
  const AnyField& its = fields_[field];
  return its.record()->components == 1 ? its.name() : fmt::format("{}[{}]", its.name(), component);
}

std::size_t AveragesOutput::quantity_named(const std::string& name) const {
  std::vector<std::string> labels;
  for (std::size_t q = 0; q < quantities_.size(); ++q) labels.push_back(label(q));
  const auto at = std::find(labels.begin(), labels.end(), name);
  require(at != labels.end(), "averages have no '" + name + "'", "there are " + joined(labels),
          did_you_mean(nearest_name(name, labels)));
  return static_cast<std::size_t>(at - labels.begin());
}

/// Variances of all, then the covariances that are asked for.
std::vector<PlaneAverages::Pair> AveragesOutput::pairs_of(const AverageOptions& options) {
  std::vector<PlaneAverages::Pair> pairs;
  for (std::size_t q = 0; q < quantities_.size(); ++q) pairs.push_back({q, q});
  for (const auto& [one, other] : options.covariances) {
    const PlaneAverages::Pair pair{quantity_named(one), quantity_named(other)};
    const auto place = [&](std::size_t q) {
      return fields_[quantities_[q].first].record()->location;
    };
    require(place(pair[0]) == place(pair[1]),
            fmt::format("the covariance of '{}' and '{}' is refused", one, other),
            "they lie at different places of a cell", "name fields that lie together");
    pairs.push_back(pair);
  }
  return pairs;
}

double AveragesOutput::bytes_per_write() const {
  constexpr double per_number = 18;
  const std::size_t columns = 1 + quantities_.size() + averages_.pairs().size();
  return per_number * static_cast<double>(columns) * static_cast<double>(averages_.planes());
}

void AveragesOutput::open(const RunPlace& place, std::optional<Index> keep_until) {
  place_ = place;
  if (keep_until && place.writes) {
    files_ = keep_numbered(place.directory, place.name + "_" + name(), {".csv"}, written_);
  }
}

bool AveragesOutput::acts_on(const Moment& moment) const {
  return moment.due || moment.snapshot || moment.over;
}

void AveragesOutput::write(const Moment& moment) {
  const Index step = moment.clock.step;
  if (moment.due && moment.clock.time >= from_ && sampled_ != step) {
    sample(moment.clock.time);
    sampled_ = step;
  }
  if ((moment.snapshot || moment.over) && averages_.samples() > 0 && written_ != step) {
    write_file(step);
    written_ = step;
  }
}

void AveragesOutput::sample(double time) {
  Communicator& communicator = *fields_.front().grid().context->communicator();
  const Index values = fields_.front().cells().volume() / averages_.planes();
  if (averages_.samples() == 0) {
    accumulate();
    averages_.begin_with_means(communicator, values);
  }
  accumulate();
  averages_.add_sample(communicator, values, time);
}

/// What this rank has, in blocks of whole planes along z, which lie together in memory.
void AveragesOutput::accumulate() {
  GridState& grid = fields_.front().grid();
  const Box own = decomposition_of(grid).owned_by(grid.context->communicator()->rank());
  if (own.empty()) return;
  Index bytes_of_plane = 0;
  for (const AnyField& field : fields_) {
    bytes_of_plane += own.extent(0) * own.extent(1) * field.record()->components *
                      static_cast<Index>(field.record()->element_size());
  }
  const Index planes = std::max<Index>(1, bytes_at_a_time / bytes_of_plane);
  Box block = own;
  for (block.lower[2] = own.lower[2]; block.lower[2] < own.upper[2]; block.lower[2] += planes) {
    block.upper[2] = std::min(block.lower[2] + planes, own.upper[2]);
    accumulate(block);
  }
}

void AveragesOutput::accumulate(const Box& box) {
  std::vector<std::vector<std::byte>> elements;
  for (const AnyField& field : fields_) {
    const FieldRecord& record = *field.record();
    auto& values = elements.emplace_back();
    values.resize(static_cast<std::size_t>(box.volume() * record.components) *
                  record.element_size());
    field.store().copy_out_own(record, box, values.data());
  }
  const auto values_of_plane = [&](std::size_t quantity, const Box& plane) {
    const Quantity which = quantities_[quantity];
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(plane.volume()));
    visit_element(fields_[which.first].record()->type, [&]<class T>(T) {
      const T* const first =
          reinterpret_cast<const T*>(elements[which.first].data()) + which.second * box.volume();
      each_cell(plane, [&](Index3 cell) {
        const Index3 at = cell - box.lower;
        const T value = first[(at[2] * box.extent(1) + at[1]) * box.extent(0) + at[0]];
        values.push_back(static_cast<double>(static_cast<ArithmeticOf<T>>(value)));
      });
    });
    return values;
  };
  const auto accumulate_planes = [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      Box plane = box;
      plane.lower[axis_] = box.lower[axis_] + n;
      plane.upper[axis_] = plane.lower[axis_] + 1;
      std::vector<std::vector<double>> values;
      for (std::size_t q = 0; q < quantities_.size(); ++q) {
        values.push_back(values_of_plane(q, plane));
      }
      averages_.accumulate(plane.lower[axis_], values);
    }
  };
  domain_of(fields_.front().grid())
      .some_executor()
      .parallel(box.extent(static_cast<int>(axis_)), accumulate_planes);
}

void AveragesOutput::write_file(Index step) {
  const auto unit_of = [&](std::size_t quantity) {
    return fields_[quantities_[quantity].first].unit();
  };
  std::vector<CsvColumn> columns{{std::string(1, "xyz"[axis_]), place_.length_unit}};
  std::vector<std::vector<double>> table(1);
  const auto add = [&](const std::string& name, const std::string& unit, const auto& value) {
    columns.push_back({name, unit});
    auto& column = table.emplace_back();
    for (Index plane = 0; plane < averages_.planes(); ++plane) column.push_back(value(plane));
  };
  const GridState& grid = fields_.front().grid();
  for (Index plane = 0; plane < averages_.planes(); ++plane) {
    table[0].push_back(
        grid.coordinate(static_cast<int>(axis_), plane, fields_.front().record()->location));
  }
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    add(label(q), unit_of(q), [&](Index plane) { return averages_.mean(plane, q); });
  }
  for (std::size_t p = 0; p < averages_.pairs().size(); ++p) {
    const auto& [one, other] = averages_.pairs()[p];
    const std::string heading = one == other
                                    ? "variance of " + label(one)
                                    : "covariance of " + label(one) + " and " + label(other);
    add(heading, product_of(unit_of(one), unit_of(other)),
        [&](Index plane) { return averages_.covariance(plane, p); });
  }
  if (!place_.writes) return;
  const auto path = place_.directory / numbered_name(place_.name + "_" + name(), step, ".csv");
  write_csv(path, columns, table);
  if (std::find(files_.begin(), files_.end(), path) == files_.end()) files_.push_back(path);
}

std::string AveragesOutput::describe() const {
  return fmt::format("profiles of {} along {}, averaged over planes and time, as CSV",
                     joined(names_of(fields_)), "xyz"[axis_]);
}

nlohmann::ordered_json AveragesOutput::state() const {
  const PlaneAverages::State& state = averages_.state();
  return {{"samples", state.samples}, {"time", state.time}, {"span", state.span},
          {"numbers", state.numbers}, {"last", state.last}, {"sampled", sampled_},
          {"written", written_}};
}

void AveragesOutput::restore(const nlohmann::ordered_json& state) {
  averages_.restore({.samples = state.at("samples"),
                     .time = state.at("time"),
                     .span = state.at("span"),
                     .numbers = state.at("numbers"),
                     .last = state.at("last")});
  sampled_ = state.at("sampled");
  written_ = state.at("written");
}

}  // namespace goban
