#pragma once
// Assembles the arguments of functors' kernels as bytes: the structures of kernels/arguments.cuh,
// whose sizes are only known at run time.

#include "goban/backend/cuda/generator/generator.hpp"
#include "goban/backend/cuda/kernels/arguments.cuh"
#include "goban/backend/kernel_call.hpp"
#include "goban/lowering/gpu_launches.hpp"

namespace goban::cuda {

/// Cells of an argument that the kernel stores a second time, in the halo of some patch.
struct SentCells {
  Index first = 0, last = 0;     ///< the local cells along an axis, without `last`
  Index shift = 0;               ///< bytes from a value of component 0 to its copy
  Index component_stride = 0;    ///< elements between components of the copy
  std::uint32_t components = 0;  ///< one bit per component
  bool operator==(const SentCells&) const = default;
};
/// What a kernel sends of an argument to both neighbours, along each axis.
struct SendsOfArgument {
  std::array<SentCells, 2> planes;  ///< planes, along the slowest axis
  std::array<SentCells, 2> rows;    ///< rows of every plane, along the middle axis
  std::array<SentCells, 2> ends;    ///< ends of rows, to the other end of the same row
};
/// Kernels store planes of arguments a second time only if these have at most this many components;
/// of others, copies are made. The ends of rows of others are sent from memory, not from registers.
inline constexpr int most_components_sent = gpu::components_sent;
/// The largest number of components whose ends of rows a kernel sends: the bits of a word.
inline constexpr int most_components_with_ends = 32;

/// The arguments of a sweep or a reduction or, with Of::part, of a part of a bundle
/// (PartArguments). `sends` has one entry per argument, or is empty.
struct SweepArgumentBytes {
  enum class Of : std::uint8_t { sweep, part };
  SweepArgumentBytes(const KernelSubject& subject, const SweepCall& sweep,
                     const std::vector<SendsOfArgument>& sends, Of of = Of::sweep);

  device::SweepCommon common;
  /// Returns the bytes. `common` must have been completed.
  std::vector<std::byte> bytes() const;

 private:
  std::vector<std::byte> rest_;
};

/// A pass as a kernel sees it. Level n is step n; the fields of level 0 are what the pass reads and
/// where the last step goes.
struct MarchCall {
  std::vector<SweepCall> levels;
  Box box;  ///< the cells to write
  /// The cells of the field that each pair reads, with ghosts.
  std::array<Box, most_march_pairs> readable;
  Box changing;  ///< the cells that change; all others are constant ghosts
  /// Planes that a pass stores a second time; one entry per argument, or empty.
  std::vector<SendsOfArgument> sends;
};

struct MarchArgumentBytes {
  MarchArgumentBytes(const KernelSubject& subject, const MarchCall& call);

  device::MarchCommon common;
  std::vector<device::FieldView> fields;
  std::vector<std::byte> bytes() const;

 private:
  std::vector<std::byte> rest_;
};

}  // namespace goban::cuda
