#include "goban/program/scalar_stage.hpp"

#include "goban/stencil/graph/graph_evaluator.hpp"

namespace goban::detail {

std::shared_ptr<Stage> scalar_stage(std::vector<std::shared_ptr<ParameterRecord>> parameters,
                                    std::vector<Access> access) {
  auto stage = std::make_shared<Stage>();
  stage->kind = Stage::Kind::compute;
  stage->name = "compute";
  stage->parameters = std::move(parameters);
  stage->parameter_access = std::move(access);
  return stage;
}

std::function<void()> scalar_function(std::shared_ptr<const Stage> as_sweep,
                                      std::vector<std::shared_ptr<ParameterRecord>> parameters) {
  return [as_sweep = std::move(as_sweep), parameters = std::move(parameters)] {
    CellView numbers;
    for (const auto& parameter : parameters) numbers.values.push_back(parameter->value);
    GraphEvaluator evaluate(*as_sweep->graph);
    const auto& results = evaluate(numbers);
    for (std::size_t n = 0; n < parameters.size(); ++n) {
      if (as_sweep->arguments[n].access != Access::in) parameters[n]->value = *results[n];
    }
  };
}

}  // namespace goban::detail
