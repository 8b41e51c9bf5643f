#pragma once
// Scalar stages that are recorded: devices compute them where their sweeps are, hosts evaluate
// them.

#include <array>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "goban/program/stage.hpp"
#include "goban/stencil/graph/graph_recorder.hpp"

namespace goban::detail {

/// The functor holds nothing that may change and takes its numbers as `auto`, so that it can be
/// recorded.
template <class F, class... T>
concept RecordableScalar = std::is_empty_v<F> && std::is_trivially_copyable_v<F> && !requires {
  &F::operator();  // one that is no template
}
&&std::is_invocable_v<const F&, Traced<T, false>&...>;

/// A functor of numbers as one of a cell: values of all of them, then where each goes.
template <class F, class... T>
struct ScalarSweep {
  F function;

  template <class... Arguments>
  GOBAN_FUNCTION void operator()(Arguments... arguments) const {
    constexpr std::size_t count = sizeof...(T);
    const auto all = std::make_tuple(arguments...);
    [&]<std::size_t... N>(std::index_sequence<N...>) {
      auto numbers = std::make_tuple(std::get<N>(all)()...);
      function(std::get<N>(numbers)...);
      (store(std::get<count + N>(all), std::get<N>(numbers)), ...);
    }
    (std::make_index_sequence<count>{});
  }

 private:
  GOBAN_FUNCTION static void store(auto result, const auto& number) {
    result = convert<double>(number);
  }
};

/// Where a number of type T goes.
template <class T>
using NumberStored = FieldParameter<Access::out, double>;

/// See Stage::as_sweep, whose values say how they are accessed; null: it is misused.
template <class F, class... T>
std::shared_ptr<const Stage> scalar_as_sweep(const std::string& name,
                                             const std::array<Access, sizeof...(T)>& access) {
  auto stage = std::make_shared<Stage>();
  stage->name = name;
  const auto recorded = record<ValueParameter<T>..., NumberStored<T>...>(ScalarSweep<F, T...>{});
  if (recorded.footprint.error != TraceError::none) return nullptr;
  stage->footprint = Footprint(recorded.footprint);
  stage->graph = recorded.graph;
  stage->arguments.resize(2 * sizeof...(T));
  for (std::size_t n = 0; n < stage->arguments.size(); ++n) {
    const bool is_value = n < sizeof...(T);
    stage->arguments[n].kind = is_value ? StageArgument::Kind::value : StageArgument::Kind::field;
    stage->arguments[n].access = is_value ? access[n] : Access::out;
  }
  return stage;
}

/// A stage that does nothing yet, with these parameters and how it uses them.
std::shared_ptr<Stage> scalar_stage(std::vector<std::shared_ptr<ParameterRecord>> parameters,
                                    std::vector<Access> access);

/// What the host does for a stage that has this as its Stage::as_sweep and these parameters: it
/// evaluates the graph, so that the bits are those of devices whatever compiled the functor.
std::function<void()> scalar_function(std::shared_ptr<const Stage> as_sweep,
                                      std::vector<std::shared_ptr<ParameterRecord>> parameters);

}  // namespace goban::detail
