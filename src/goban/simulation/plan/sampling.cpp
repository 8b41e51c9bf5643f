#include "goban/simulation/plan/sampling.hpp"

#include <algorithm>
#include <cstring>

#include "goban/simulation/output/output.hpp"
#include "goban/simulation/plan/program_parts.hpp"

namespace goban {

Sampling::Sampling(Program& step, const std::vector<Program>& derived,
                   const std::vector<std::unique_ptr<SimulationOutput>>& outputs) {
  const std::vector<UsedField> used = fields_of(step);
  std::vector<const FieldRecord*> made_later;
  for (const Program& program : derived) {
    const auto written = written_by(program);
    made_later.insert(made_later.end(), written.begin(), written.end());
  }
  const auto is_of_step = [&](const SampledBox& part) {
    const FieldRecord* field = part.field.record().get();
    return std::any_of(used.begin(), used.end(),
                       [&](const UsedField& one) {
                         return one.record.get() == field && one.grid == used.front().grid;
                       }) &&
           std::find(made_later.begin(), made_later.end(), field) == made_later.end();
  };
  for (const auto& output : outputs) {
    const auto parts = output->samples();
    if (parts.empty() || !output->when().is_every_step()) continue;
    if (!std::all_of(parts.begin(), parts.end(), is_of_step)) continue;
    if (!samples_) samples_ = std::make_shared<Samples>(used.front().grid);
    Sampled sampled{output.get(), samples_->parts().size(), {}};
    for (const SampledBox& part : parts) {
      const FieldRecord& field = *part.field.record();
      samples_->add(part.field.record(), part.box);
      sampled.values.emplace_back(field.type, part.box.extents(), field.components, field.name);
    }
    sampled_.push_back(std::move(sampled));
  }
  if (samples_) step.sample(samples_);
}

bool Sampling::is_of(const SimulationOutput& output) const {
  return std::any_of(sampled_.begin(), sampled_.end(),
                     [&](const Sampled& one) { return one.output == &output; });
}

Index Sampling::most_steps() const {
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  if (!samples_) return Trigger::no_limit;
  return std::max<Index>(1, static_cast<Index>(most_bytes / samples_->bytes()));
}

const std::vector<Samples::Record>& Sampling::records() const {
  static const std::vector<Samples::Record> none;
  return samples_ ? samples_->records() : none;
}

void Sampling::clear() {
  if (samples_) samples_->records().clear();
}

const std::vector<Array>& Sampling::values(const SimulationOutput& output,
                                           const Samples::Record& record) {
  Sampled& sampled = *std::find_if(sampled_.begin(), sampled_.end(),
                                   [&](const Sampled& one) { return one.output == &output; });
  for (std::size_t n = 0; n < sampled.values.size(); ++n) {
    const Samples::Part& part = samples_->parts()[sampled.first_part + n];
    std::memcpy(sampled.values[n].bytes.data(), record.values.data() + part.first, part.bytes);
  }
  return sampled.values;
}

const std::vector<Array>& Sampling::values(const SimulationOutput& output) {
  read_.clear();
  for (const SampledBox& part : output.samples()) read_.push_back(values_of(part.field, part.box));
  return read_;
}

}  // namespace goban
