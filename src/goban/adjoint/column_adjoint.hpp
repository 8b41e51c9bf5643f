#pragma once
// The adjoint of a stage that sweeps columns: another one, which goes back first and then forth.

#include <memory>
#include <set>
#include <vector>

#include "goban/adjoint/adjoint_fields.hpp"
#include "goban/adjoint/graph_derivatives.hpp"
#include "goban/adjoint/step_record.hpp"

namespace goban::detail {

/// Where the adjoint of what the functor reads at one place is found, cell by cell.
struct ProductOfRead {
  GraphNode leaf;  ///< the read, or the value of a parameter
  StageArgument product;
  int component = 0;
};

struct ColumnProducts {
  std::vector<std::shared_ptr<Stage>> stages;  ///< none: all adjoints of what it writes are 0
  std::vector<StageArgument> made;             ///< fields that they write in the cells of the stage
  std::vector<ProductOfRead> reads;
};

/// The levels of a column are computed one from the other, s_k = F(s_{k-1}, u_k) on the way forth
/// and t_k = B(t_{k+1}, s_k, u_k) on the way back. With adjoints a of t and b of s
///   a_{k+1} = (dB/dt)_k^T a_k, b_k = (dB/ds)_k^T a_k          on the way forth, and
///   b_{k-1} += (dF/ds)_k^T b_k                                on the way back.
/// Derivatives that depend on s and t find these in fields, which a stage before computes again.
/// `zero`: adjoint fields that are to be taken for 0.
ColumnProducts column_products(const StepSweep& sweep, AdjointFields& fields,
                               const std::set<const FieldRecord*>& zero, const IsWanted& is_wanted);

}  // namespace goban::detail
