#include "goban/backend/generator/kernel_subject.hpp"

namespace goban {

KernelSubject::KernelSubject(const Stage& stage)
    : graph(stage.graph.get()),
      footprint(&stage.footprint),
      shape(stage),
      covers_everything(stage.covers_everything()),
      constants(stage.graph->argument_constants()),
      columns(stage.columns ? &*stage.columns : nullptr),
      reduction(stage.reduction) {
  for (std::size_t a = 0; a < stage.arguments.size(); ++a) {
    const StageArgument& argument = stage.arguments[a];
    is_in_place.push_back(argument.field && argument.field->in_place);
    maps.push_back(argument.grid ? map_of(stage, a) : IndexMap{});
  }
}

}  // namespace goban
