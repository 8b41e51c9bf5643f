#include "seismic/seismograms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "goban/base/error.hpp"
#include "goban/domain/data/shared_boxes.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/simulation/output/series_output.hpp"
#include "seismic/sac.hpp"
#include "seismic/segy_traces.hpp"

namespace goban::seismic {
namespace {

char axis_of(const AnyField& velocity) { return velocity.name().back(); }

}  // namespace

Seismograms::Seismograms(std::vector<AnyField> velocity, std::vector<Receiver> receivers, When when,
                         SeismogramFormats formats, std::optional<Real3> source)
    : SimulationOutput("seismograms", std::move(when)),
      velocity_(std::move(velocity)),
      receivers_(std::move(receivers)),
      rows_(receivers_.size()),
      formats_(formats),
      source_(source) {
  for (const Receiver& receiver : receivers_) {
    for (const AnyField& field : velocity_) {
      places_.push_back(place_at(field, receiver.position));
    }
  }
}

const std::vector<Seismograms::Row>& Seismograms::rows(const std::string& receiver) const {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < receivers_.size(); ++r) {
    if (receivers_[r].name == receiver) return rows_[r];
    names.push_back(receivers_[r].name);
  }
  throw Error(ExitCode::usage, "there is no receiver " + receiver,
              "the receivers are " + joined(names), did_you_mean(nearest_name(receiver, names)));
}

std::vector<std::string> Seismograms::quantities() const {
  std::vector<std::string> all;
  for (const char* quantity : {"velocity_", "displacement_"}) {
    for (const AnyField& field : velocity_)
      all.push_back(quantity + std::string(1, axis_of(field)));
  }
  return all;
}

std::size_t Seismograms::column(const std::string& quantity) const {
  const auto all = quantities();
  const auto found = std::find(all.begin(), all.end(), quantity);
  require(found != all.end(), "there is no " + quantity, "there are " + joined(all));
  return 1 + static_cast<std::size_t>(found - all.begin());
}

void Seismograms::open(const RunPlace& place, std::optional<Index> keep_until) {
  if (keep_until && !is_continued_) {
    place.say("the receivers are not those of the checkpoint: their seismograms begin anew");
    keep_until.reset();
  }
  if (!keep_until) rows_.assign(receivers_.size(), {});
  series_.clear();
  place_ = place;
  synced_ = 0;
  if (!place.writes || !formats_.csv) return;
  std::vector<CsvColumn> columns{{"time", place.time_unit}};
  for (const std::string& quantity : quantities()) {
    columns.push_back({quantity, quantity[0] == 'v' ? "m/s" : "m"});
  }
  for (const Receiver& receiver : receivers_) {
    series_.push_back(open_series(place, receiver.name, columns, keep_until, samples_taken()));
  }
}

Seismograms::Place Seismograms::place_at(const AnyField& field, Real3 position) {
  const GridState& grid = field.grid();
  const Location location = field.record()->location;
  const Box all = grid.domain(location);
  Place place;
  for (std::size_t a = 0; a < 3; ++a) {
    const double offset = is_staggered(location, static_cast<int>(a)) ? 0 : 0.5;
    const double at = (position[a] - grid.origin[a]) / grid.spacing[a] - offset;
    place.weights[a] = weights_at(at, all.extent(static_cast<int>(a)));
    place.box.lower[a] = place.weights[a].first;
    place.box.upper[a] = place.box.lower[a] + static_cast<Index>(place.weights[a].of.size());
  }
  return place;
}

double Seismograms::Place::interpolated(const Array& values) const {
  double sum = 0;
  for (std::size_t k = 0; k < weights[2].of.size(); ++k) {
    for (std::size_t j = 0; j < weights[1].of.size(); ++j) {
      for (std::size_t i = 0; i < weights[0].of.size(); ++i) {
        sum += weights[0].of[i] * weights[1].of[j] * weights[2].of[k] *
               values.at(static_cast<Index>(i), static_cast<Index>(j), static_cast<Index>(k));
      }
    }
  }
  return sum;
}

std::vector<SampledBox> Seismograms::samples() const {
  std::vector<SampledBox> all;
  for (std::size_t n = 0; n < places_.size(); ++n) {
    all.push_back({velocity_[n % velocity_.size()], places_[n].box});
  }
  return all;
}

void Seismograms::write(const Moment& moment) {
  const std::size_t n = velocity_.size();
  for (std::size_t r = 0; r < receivers_.size(); ++r) {
    Row row{moment.clock.time};
    for (std::size_t c = 0; c < n; ++c) {
      row.push_back(places_[r * n + c].interpolated(moment.samples[r * n + c]));
      if (!std::isfinite(row.back())) lost_value_ = "the motion at receiver " + receivers_[r].name;
    }
    row.resize(1 + 2 * n);
    if (!rows_[r].empty()) {
      const Row& last = rows_[r].back();
      for (std::size_t c = 1; c <= n; ++c) {
        row[c + n] = last[c + n] + (row[0] - last[0]) * (row[c] + last[c]) / 2;
      }
    }
    if (!series_.empty()) series_[r].append(moment.clock.step, row);
    rows_[r].push_back(std::move(row));
  }
}

void Seismograms::sync() {
  for (CsvSeries& series : series_) sync_series(place_, series);
  if (!place_.writes || !has_interval() || synced_ == samples_taken()) return;
  if (formats_.sac) {
    for (std::size_t r = 0; r < receivers_.size(); ++r) write_sac(r);
  }
  if (formats_.segy) {
    for (const std::string& quantity : quantities()) write_segy(quantity);
  }
  synced_ = samples_taken();
}

std::filesystem::path Seismograms::sac_path(const Receiver& receiver,
                                            const std::string& quantity) const {
  return place_.directory / (place_.name + "_" + receiver.name + "_" + quantity + ".sac");
}

std::filesystem::path Seismograms::segy_path(const std::string& quantity) const {
  return place_.directory / (place_.name + "_" + quantity + ".sgy");
}

double Seismograms::interval(std::size_t receiver) const {
  const auto& rows = rows_[receiver];
  const double begin = rows.front()[0];
  const double interval = (rows.back()[0] - begin) / static_cast<double>(rows.size() - 1);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const double even = begin + static_cast<double>(n) * interval;
    require(std::abs(rows[n][0] - even) < 0.01 * interval,
            "the seismogram of " + receivers_[receiver].name + " cannot be written as " +
                (formats_.sac ? "SAC" : "SEG-Y"),
            "its samples are not evenly spaced: the run went on with others",
            "leave all but csv out of output.seismograms.formats");
  }
  return interval;
}

void Seismograms::write_sac(std::size_t receiver) const {
  const auto& rows = rows_[receiver];
  SacTrace trace;
  trace.station = receivers_[receiver].name;
  trace.event = place_.name;
  trace.position = receivers_[receiver].position;
  trace.source = source_;
  trace.begin = rows.front()[0];
  trace.interval = interval(receiver);
  for (const std::string& quantity : quantities()) {
    trace.quantity =
        quantity[0] == 'v' ? SacTrace::Quantity::velocity : SacTrace::Quantity::displacement;
    trace.axis = all_axes[static_cast<std::size_t>(quantity.back() - 'x')];
    trace.values.clear();
    const std::size_t c = column(quantity);
    for (const Row& row : rows) trace.values.push_back(row[c]);
    write_file(sac_path(receivers_[receiver], quantity), sac_bytes(trace));
  }
}

void Seismograms::write_segy(const std::string& quantity) const {
  SegyGather gather;
  gather.title = place_.name + ", " + quantity + (quantity[0] == 'v' ? ", m/s" : ", m");
  gather.axis = all_axes[static_cast<std::size_t>(quantity.back() - 'x')];
  gather.begin = rows_.front().front()[0];
  gather.interval = interval(0);
  gather.source = source_;
  const std::size_t c = column(quantity);
  for (std::size_t r = 0; r < receivers_.size(); ++r) {
    SegyGather::Trace& trace = gather.traces.emplace_back();
    trace.position = receivers_[r].position;
    for (const Row& row : rows_[r]) trace.values.push_back(row[c]);
  }
  write_file(segy_path(quantity), segy_bytes(gather));
}

std::vector<std::filesystem::path> Seismograms::files() const {
  std::vector<std::filesystem::path> all;
  for (const CsvSeries& series : series_) all.push_back(series.path());
  if (!place_.writes || !has_interval()) return all;
  for (const std::string& quantity : quantities()) {
    if (formats_.segy) all.push_back(segy_path(quantity));
  }
  for (std::size_t r = 0; formats_.sac && r < receivers_.size(); ++r) {
    for (const std::string& quantity : quantities()) {
      all.push_back(sac_path(receivers_[r], quantity));
    }
  }
  return all;
}

double Seismograms::bytes_per_write() const {
  constexpr double per_number = 18, per_sample = 4;
  const auto quantities = static_cast<double>(this->quantities().size());
  const double of_receiver = (formats_.csv ? per_number * (quantities + 2) : 0) +
                             (formats_.sac ? per_sample * quantities : 0) +
                             (formats_.segy ? per_sample * quantities : 0);
  return of_receiver * static_cast<double>(receivers_.size());
}

std::string Seismograms::describe() const {
  std::vector<std::string> formats;
  if (formats_.csv) formats.push_back("CSV");
  if (formats_.sac) formats.push_back("SAC");
  if (formats_.segy) formats.push_back("SEG-Y");
  return std::to_string(receivers_.size()) +
         (receivers_.size() == 1 ? " seismogram as " : " seismograms as ") + joined(formats);
}

std::vector<CheckpointArray> Seismograms::arrays() {
  CheckpointArray array{
      .name = "samples at " + std::to_string(receivers_.size()) + " receivers",
      .type = ElementType::float64,
      .extents = {static_cast<Index>(row_length()), std::max<Index>(1, samples_taken()),
                  static_cast<Index>(receivers_.size())},
      .optional = true,
      .grows = true};
  if (receivers_.empty()) return {};
  array.copy_out = [this](const Box& box, void* elements) {
    copy_rows(box, static_cast<double*>(elements));
  };
  array.copy_in = [this](const Box& box, const void* elements) {
    take_rows(box, static_cast<const double*>(elements));
  };
  return {array};
}

void Seismograms::copy_rows(const Box& box, double* values) const {
  for (Index r = box.lower[2]; r < box.upper[2]; ++r) {
    const auto& rows = rows_[static_cast<std::size_t>(r)];
    for (Index n = box.lower[1]; n < box.upper[1]; ++n) {
      const bool is_there = n < static_cast<Index>(rows.size());
      for (Index c = box.lower[0]; c < box.upper[0]; ++c) {
        *values++ = is_there ? rows[static_cast<std::size_t>(n)][static_cast<std::size_t>(c)] : 0;
      }
    }
  }
}

/// Whichever rank has some, all get them.
void Seismograms::take_rows(const Box& box, const double* values) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const auto everything = [](int) { return Box{{0, 0, 0}, {most, most, most}}; };
  const SharedBoxes shared(ranks(), everything, 1, sizeof(double));
  shared.copy_in(box, values, [this](const Box& part, const void* elements) {
    const auto* next = static_cast<const double*>(elements);
    for (Index r = part.lower[2]; r < part.upper[2]; ++r) {
      auto& rows = rows_[static_cast<std::size_t>(r)];
      if (static_cast<Index>(rows.size()) < part.upper[1]) {
        rows.resize(static_cast<std::size_t>(part.upper[1]), Row(row_length()));
      }
      for (Index n = part.lower[1]; n < part.upper[1]; ++n) {
        for (Index c = part.lower[0]; c < part.upper[0]; ++c) {
          rows[static_cast<std::size_t>(n)][static_cast<std::size_t>(c)] = *next++;
        }
      }
    }
  });
}

/// Name and position of every receiver.
nlohmann::ordered_json Seismograms::places() const {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Receiver& receiver : receivers_) all.push_back({receiver.name, receiver.position});
  return all;
}

nlohmann::ordered_json Seismograms::state() const {
  return {{"samples", samples_taken()}, {"receivers", places()}};
}

void Seismograms::restore(const nlohmann::ordered_json& state) {
  is_continued_ = state.at("receivers") == places();
  if (!is_continued_) return;
  const auto samples = state.at("samples").get<Index>();
  if (samples > samples_taken()) {
    throw Error(ExitCode::no_checkpoint, "the checkpoint lacks samples of receivers",
                std::to_string(samples_taken()) + " of " + std::to_string(samples));
  }
  // One that was refused half-way may have left more.
  for (auto& rows : rows_) rows.resize(static_cast<std::size_t>(samples));
}

}  // namespace goban::seismic
