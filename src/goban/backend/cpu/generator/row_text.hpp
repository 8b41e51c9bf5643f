#pragma once
// Writes the text of kernels that compute the packs of rows.

#include <string>

#include "goban/backend/cpu/kernel_shape.hpp"
#include "goban/backend/generator/kernel_subject.hpp"

namespace goban::cpu {

/// One of the ways in which a functor's rows are computed.
struct RowVariant {
  std::string name;          ///< the name of the `extern "C"` function, a device::RowFunction
  int planes = 1;            ///< how many planes are computed together
  bool fetches = false;      ///< whether it fetches what other rows will need
  bool streams = false;      ///< results may go past the caches
  bool is_in_place = false;  ///< packs are stored when the next one has been computed
};

/// The text of kernels of one functor, or of one sweep of a functor of columns: `subject` has its
/// graph and footprint, branch-free.
std::string row_text(const KernelSubject& subject, const KernelShape& shape,
                     const std::vector<RowVariant>& variants, const InstructionSet& isa);

}  // namespace goban::cpu
