#include "graph500/engine.hpp"

#include "goban/base/error.hpp"
#include "goban/runtime/runtime.hpp"
#include "graph500/gpu_engine.hpp"

namespace goban::graph500 {

std::unique_ptr<Engine> make_engine(const Model& model, const EdgeSource& source,
                                    Runtime& runtime) {
  const Backend backend = runtime.settings().backend;
  require(backend != Backend::emulated, "emulated devices are refused",
          "they compute on grids alone", "take --devices cpu or cuda");
  return backend == Backend::cuda ? make_gpu_engine(model, source, runtime)
                                  : make_cpu_engine(model, source, runtime);
}

}  // namespace goban::graph500
