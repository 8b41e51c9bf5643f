// The five rules on a GPU.

#include "graph500/gpu_part.hpp"

#if GOBAN_HAVE_CUDA

#include <array>

#include "graph500/gpu_kernels.hpp"
#include "graph500/gpu_launch.hpp"

namespace goban::graph500 {

using cuda::address;
using cuda::check;
using cuda::driver;
using cuda::OnDevice;

namespace {

/// As in gpu_validate.cuh.
struct Findings {
  std::array<std::uint64_t, 5> broken;
  std::uint64_t edges, changed, too_deep;
  std::array<std::uint64_t, 256> per_level;
};

constexpr const char* validating = "validating";

template <class T>
T value_of(const DeviceArray<T>& array, cuda::CUstream stream) {
  T value;
  array.get(&value, stream);
  return value;
}

void put(const Findings& findings, Verdict& verdict) {
  for (std::size_t rule = 0; rule < findings.broken.size(); ++rule) {
    const auto broken = static_cast<Rule>(rule);
    if (findings.broken[rule] == 0 || (verdict.broken && *verdict.broken <= broken)) continue;
    verdict.broken = broken;
    verdict.vertex = static_cast<Index>(findings.broken[rule]) - 1;
  }
}

}  // namespace

struct GpuPart::ValidationArrays {
  DeviceArray<std::uint8_t> level;
  DeviceArray<Index> parents;
  DeviceArray<std::uint32_t> is_edge;
  DeviceArray<Findings> findings;
};

bool GpuPart::validate(std::span<const Index> parents, const DeviceArray<float>* distances,
                       Index root, Verdict& verdict, std::vector<std::uint32_t>& is_edge) {
  const OnDevice current(device_);
  const ValidationKernels& kernels = ValidationKernels::get();
  if (!validation_) {
    validation_ = std::make_shared<ValidationArrays>();
    validation_->level = DeviceArray<std::uint8_t>(vertices_);
    validation_->is_edge = DeviceArray<std::uint32_t>((vertices_ + 31) / 32);
    validation_->findings = DeviceArray<Findings>(1);
    validation_->parents = partition_.parts() == 1 ? parents_ : DeviceArray<Index>(vertices_);
  }
  const ValidationArrays& arrays = *validation_;
  if (!parents.empty()) validation_->parents.put(parents);
  arrays.findings.fill(0, stream_);
  arrays.is_edge.fill(0, stream_);
  const auto count = static_cast<std::uint64_t>(vertices_);
  const auto root_vertex = static_cast<std::uint64_t>(root);
  start(kernels.begin, blocks_for(vertices_), stream_, validating, arrays.parents.data(),
        arrays.level.data(), count, root_vertex, arrays.findings.data());
  Findings findings{};
  std::uint64_t* const changed = &arrays.findings.data()->changed;
  do {
    check(driver().cuMemsetD8Async(address(changed), 0, sizeof(*changed), stream_), validating);
    start(kernels.levels, blocks_for(vertices_), stream_, validating, arrays.parents.data(),
          arrays.level.data(), count, arrays.findings.data());
    findings = value_of(arrays.findings, stream_);
    if (findings.too_deep != 0) return false;
  } while (findings.changed != 0);
  constexpr unsigned int many_blocks = 2048;
  start(kernels.end, many_blocks, stream_, validating, arrays.level.data(), count,
        arrays.findings.data());
  const auto tuples = static_cast<std::uint64_t>(tuples_.edges.size());
  if (distances == nullptr) {
    start(kernels.tuples, many_blocks, stream_, validating, tuples_.edges.data(), tuples,
          arrays.level.data(), arrays.parents.data(), arrays.is_edge.data(),
          arrays.findings.data());
  } else {
    start(kernels.path_tuples, many_blocks, stream_, validating, tuples_.edges.data(),
          tuples_.weights.data(), tuples, arrays.level.data(), arrays.parents.data(),
          distances->data(), root_vertex, path_tolerance, arrays.is_edge.data(),
          arrays.findings.data());
  }
  findings = value_of(arrays.findings, stream_);
  put(findings, verdict);
  verdict.edges += static_cast<Index>(findings.edges);
  verdict.per_level.clear();
  verdict.visited = 0;
  for (std::size_t level = 0; level < 252 && findings.per_level[level] > 0; ++level) {
    verdict.per_level.push_back(static_cast<Index>(findings.per_level[level]));
    verdict.visited += verdict.per_level.back();
  }
  if (partition_.parts() == 1) {
    check_marks({}, root, verdict);
    return true;
  }
  is_edge.resize(static_cast<std::size_t>(arrays.is_edge.size()));
  arrays.is_edge.get(is_edge.data(), stream_);
  return true;
}

void GpuPart::check_marks(std::span<const std::uint32_t> is_edge, Index root, Verdict& verdict) {
  const OnDevice current(device_);
  const ValidationArrays& arrays = *validation_;
  if (!is_edge.empty()) validation_->is_edge.put(is_edge);
  const auto count = static_cast<std::uint64_t>(vertices_);
  const auto root_vertex = static_cast<std::uint64_t>(root);
  start(ValidationKernels::get().marked, blocks_for(vertices_), stream_, validating,
        arrays.is_edge.data(), arrays.level.data(), count, root_vertex, arrays.findings.data());
  put(value_of(arrays.findings, stream_), verdict);
}

}  // namespace goban::graph500

#endif
