#pragma once
// States of a run that its adjoint keeps: where fields are, in memory of the host, in files.

#include <filesystem>
#include <limits>
#include <memory>
#include <vector>

#include "goban/adjoint/adjoint_fields.hpp"

namespace goban {

/// What an adjoint may keep of the way forwards.
struct StateBudget {
  Index states = 16;  ///< the most states that are kept, the initial one among them
  /// The memory that a process may use for them, in bytes.
  double bytes = std::numeric_limits<double>::infinity();
  /// A folder that all processes see, for states that find no room in memory. An evaluation whose
  /// process ends goes on from there in the next one that starts from the same values. Empty: none.
  std::filesystem::path folder{};
  double save_every = 600;  ///< seconds between saves of how far the way back has come
};

namespace detail {

/// Memory for the values of some fields at one time. All members are collective.
class KeptState {
 public:
  virtual ~KeptState() = default;
  virtual void save() = 0;
  virtual void restore() = 0;
};

/// The values lie in further fields of the grid: on GPUs, they stay there.
std::unique_ptr<KeptState> state_in_fields(AdjointFields& fields,
                                           const std::vector<FieldPointer>& state);
/// The values lie in memory of the host, each process has a share.
std::unique_ptr<KeptState> state_on_host(const std::shared_ptr<GridState>& grid,
                                         const std::vector<FieldPointer>& state);
/// The values lie in a file of each process, which goes with the object. Error (files).
std::unique_ptr<KeptState> state_in_file(const std::shared_ptr<GridState>& grid,
                                         const std::vector<FieldPointer>& state,
                                         const std::filesystem::path& path);

/// States of these fields, the quickest to save first. Their memory stays until the object goes.
class KeptStates {
 public:
  /// `fields` make those that hold states.
  KeptStates(AdjointFields& fields, std::vector<FieldPointer> state);

  /// Bytes of a state in a process, of all where it has an equal share.
  double bytes() const { return bytes_; }
  /// Sets what may be kept beside `taken` bytes of other things, and returns how many states that
  /// are. Collective. Error (resources): there is no room for one.
  Index allow(const StateBudget& budget, double taken);
  /// Collective. Error (files).
  std::shared_ptr<KeptState> save();
  /// Its memory may serve the next one.
  void release(std::shared_ptr<KeptState> state) { spare_.push_back(std::move(state)); }

 private:
  std::shared_ptr<KeptState> make();

  AdjointFields* fields_;
  std::vector<FieldPointer> state_;
  double bytes_ = 0;
  std::filesystem::path folder_;
  std::vector<std::weak_ptr<KeptState>> in_fields_, on_host_;  ///< all, used or spare
  Index most_in_fields_ = 0, most_on_host_ = 0;                ///< how many there may be
  std::vector<std::shared_ptr<KeptState>> spare_;
};

}  // namespace detail
}  // namespace goban
