#pragma once
// What kernels of functors are launched with, as bytes: kernels/arguments.cuh with numbers that are
// known at run time.

#include "goban/backend/cuda/generator/generator.hpp"
#include "goban/backend/cuda/kernels/arguments.cuh"
#include "goban/backend/kernel_call.hpp"
#include "goban/lowering/gpu_launches.hpp"

namespace goban::cuda {

/// Cells of an argument that are stored a second time, in the halo of some patch.
struct SentCells {
  Index first = 0, last = 0;     ///< local cells along an axis, the last excluded
  Index shift = 0;               ///< bytes from a value of component 0 to where it goes
  Index component_stride = 0;    ///< elements, there
  std::uint32_t components = 0;  ///< a bit each
  bool operator==(const SentCells&) const = default;
};
/// What is sent of an argument towards both neighbours, along each axis.
struct SendsOfArgument {
  std::array<SentCells, 2> planes;  ///< along the slowest axis
  std::array<SentCells, 2> rows;    ///< rows of every plane, along the middle axis
  std::array<SentCells, 2> ends;    ///< along rows, to the other end of the same row
};
/// Planes of arguments of more components are sent as copies; ends of their rows are sent from
/// memory, not from registers.
inline constexpr int most_components_sent = gpu::components_sent;
/// As many as a word has bits.
inline constexpr int most_components_with_ends = 32;

/// The bytes of the arguments of a sweep or a reduction, or (Of::part) of a part of a bundle, see
/// PartArguments; `sends`: one per argument, or none.
struct SweepArgumentBytes {
  enum class Of : std::uint8_t { sweep, part };
  SweepArgumentBytes(const KernelSubject& subject, const SweepCall& sweep,
                     const std::vector<SendsOfArgument>& sends, Of of = Of::sweep);

  device::SweepCommon common;
  /// After `common` has been completed.
  std::vector<std::byte> bytes() const;

 private:
  std::vector<std::byte> rest_;
};

/// Levels of a pass: level n is step n, the fields of level 0 hold what the pass reads and where
/// the last step goes.
struct MarchCall {
  std::vector<SweepCall> levels;
  Box box;  ///< cells to write
  /// Cells of the field that each pair reads, with ghosts.
  std::array<Box, most_march_pairs> readable;
  Box changing;                        ///< all other cells keep their values: constant ghosts
  std::vector<SendsOfArgument> sends;  ///< planes that a pass stores twice: per argument, or none
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
