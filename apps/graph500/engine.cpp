#include "graph500/engine.hpp"

#include "goban/base/error.hpp"
#include "goban/runtime/runtime.hpp"
#include "graph500/gpu_engine.hpp"

namespace goban::graph500 {

Engine::~Engine() = default;

void Engine::find_paths(Index) {
  throw Error(ExitCode::usage, "search.paths is refused",
              "shortest paths are found by the threads of one process",
              "take --devices cpu and one rank, or leave kernel 3 out");
}
Verdict Engine::validate_paths(Index) { return {}; }
const Distances& Engine::distances() const {
  static const Distances none;
  return none;
}

std::unique_ptr<Engine> make_engine(const Model& model, const EdgeSource& source,
                                    Runtime& runtime) {
  const Backend backend = runtime.settings().backend;
  require(backend != Backend::emulated, "emulated devices are refused",
          "they compute on grids alone", "take --devices cpu or cuda");
  return backend == Backend::cuda ? make_gpu_engine(model, source, runtime)
                                  : make_cpu_engine(model, source, runtime);
}

}  // namespace goban::graph500
