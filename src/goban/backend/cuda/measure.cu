#include "goban/backend/cuda/measure.cuh"

#include <algorithm>
#include <memory>

#include "goban/backend/cuda/runtime_calls.cuh"

namespace goban::cuda {

double measure_copy(cudaStream_t stream) {
  constexpr std::size_t most = std::size_t{2} << 30, least = std::size_t{64} << 20;
  constexpr int repetitions = 6;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "being asked for its memory");
  const std::size_t bytes = std::min(most, free / 4);
  if (bytes < least) return 0;
  const auto allocate = [&] {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "measuring its memory");
    return std::unique_ptr<void, cudaError_t (*)(void*)>(memory, cudaFree);
  };
  const auto from = allocate(), to = allocate();
  cudaEvent_t start, end;
  check(cudaEventCreate(&start), "measuring its memory");
  check(cudaEventCreate(&end), "measuring its memory");
  check(cudaMemsetAsync(from.get(), 1, bytes, stream), "measuring its memory");
  double best = 0;
  for (int n = 0; n < repetitions; ++n) {
    check(cudaEventRecord(start, stream), "measuring its memory");
    check(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice, stream),
          "measuring its memory");
    check(cudaEventRecord(end, stream), "measuring its memory");
    check(cudaEventSynchronize(end), "measuring its memory");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, end), "measuring its memory");
    best = std::max(best, 2 * static_cast<double>(bytes) / (milliseconds * 1e-3));
  }
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  return best;
}

}  // namespace goban::cuda
