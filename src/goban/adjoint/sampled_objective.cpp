#include "goban/adjoint/sampled_objective.hpp"

#include <algorithm>

#include "goban/base/error.hpp"

namespace goban::detail {
namespace {

std::size_t values_of(const Samples& samples, const Samples::Part& part) {
  return static_cast<std::size_t>(part.box.volume() * samples.field_of(part).components);
}

template <class T>
void add_to(GridState& grid, const FieldRecord& field, const Box& box, const double* values) {
  std::vector<T> elements(static_cast<std::size_t>(box.volume() * field.components));
  copy_out(grid, field, box, elements.data());
  for (T& element : elements) element += static_cast<T>(*values++);
  copy_in(grid, field, box, elements.data());
}

}  // namespace

std::size_t SampleDerivatives::values() const {
  std::size_t sum = 0;
  for (const Samples::Part& part : samples_->parts()) sum += values_of(*samples_, part);
  return sum;
}

double SampleDerivatives::evaluate(const std::vector<Samples::Record>& records) {
  derivatives_.assign(records.size(), std::vector<double>(values()));
  const double value = objective_(records, derivatives_);
  const bool is_complete =
      derivatives_.size() == records.size() &&
      std::all_of(derivatives_.begin(), derivatives_.end(),
                  [&](const auto& derivative) { return derivative.size() == values(); });
  require(is_complete, "the objective of samples is refused",
          "it makes another number of derivatives than there are values",
          "write into those that it gets");
  return value;
}

std::shared_ptr<Stage> SampleDerivatives::adding_stage(std::size_t field,
                                                       const StageArgument& adjoint) {
  auto stage = std::make_shared<Stage>();
  stage->kind = Stage::Kind::call;
  stage->name = "adjoint of samples";
  stage->reads = stage->writes = {adjoint.field};
  stage->function = [self = shared_from_this(), field, adjoint] { self->add(field, adjoint); };
  return stage;
}

void SampleDerivatives::add(std::size_t field, const StageArgument& adjoint) const {
  const double* values = derivatives_[static_cast<std::size_t>(step_)].data();
  for (const Samples::Part& part : samples_->parts()) {
    if (part.field == field) {
      const auto add = adjoint.field->type == ElementType::float64 ? add_to<double> : add_to<float>;
      add(*adjoint.grid, *adjoint.field, part.box, values);
    }
    values += values_of(*samples_, part);
  }
}

}  // namespace goban::detail
