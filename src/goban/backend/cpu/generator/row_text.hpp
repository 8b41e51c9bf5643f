#pragma once
// Writes the texts of kernels that compute rows in packs.

#include <string>

#include "goban/backend/cpu/kernel_shape.hpp"
#include "goban/backend/generator/kernel_subject.hpp"

namespace goban::cpu {

/// One of the functions in which a functor's rows are computed.
struct RowVariant {
  std::string name;          ///< the name of the `extern "C"` function, a device::RowFunction
  int planes = 1;            ///< the planes that are computed together
  bool fetches = false;      ///< it fetches what other rows will need
  bool streams = false;      ///< results may bypass the caches
  bool is_in_place = false;  ///< each pack is stored when the next one has been computed
};

/// Returns the text of the kernels of one functor, or of one sweep of a column functor. `subject`
/// has its graph, without branches, and its footprint.
std::string row_text(const KernelSubject& subject, const KernelShape& shape,
                     const std::vector<RowVariant>& variants, const InstructionSet& isa);

}  // namespace goban::cpu
