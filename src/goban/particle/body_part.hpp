#pragma once
// Bodies in the memory of one executor, and what a step makes of them there.

#include <memory>
#include <optional>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/body_task.hpp"
#include "goban/particle/nodes/fluid_nodes.hpp"
#include "goban/particle/nodes/node_values.hpp"

namespace goban {

class BodyPart {
 public:
  using States = std::vector<device::BodyState>;

  /// In the memory where those nodes are. `rules`: what is the same for all bodies and steps;
  /// tables of nodes are the host's.
  BodyPart(const CoupledNodes& there, const std::shared_ptr<const FluidNodes>& nodes,
           const device::BodyStep& rules, const std::vector<device::BodyNumbers>& shapes);

  /// From here on it has these bodies.
  void put(const States& own, const States& others);
  /// Bodies near each other shall follow each other; `own`: where they are, about.
  void put_order(const States& own, const States& others);
  /// Steps see these nodes, and count what they get in `unit`.
  void bind(const CoupledNodes& there, double unit);

  void run(BodyWork work) { kernels_->run(work, task_); }
  /// Whether something is wrong with a body after the latest move.
  bool has_failed() { return kernels_->has_failed(task_); }
  /// What was moved are its bodies.
  void swap() { std::swap(task_.step.bodies, task_.step.moved); }
  /// It runs behind the host, and times its steps itself.
  bool is_behind() const { return !of_host_; }
  BodyTimes times() const { return kernels_->times(); }

  /// To and from vectors that are as long as there are numbers; each waits for what runs.
  void take_bodies(States& own) const { take(own, task_.step.bodies); }
  void take_moved(States& own) const { take(own, task_.step.moved); }
  void take_faults(std::vector<device::BodyFault>& faults) const {
    take(faults, task_.step.faults);
  }
  void take_sums(std::vector<Index>& sums) const { take(sums, task_.step.sums); }
  void put_sums(const std::vector<Index>& sums) { put(task_.step.sums, sums); }
  void take_pushes(std::vector<device::BodyPush>& all) const { take(all, task_.step.pushes); }
  void put_pushes(const std::vector<device::BodyPush>& all) { put(task_.step.pushes, all); }

 private:
  /// Grows; what was there is lost then.
  template <class T>
  class Array {
   public:
    T* room_for(Executor& executor, std::size_t count) {
      if (count > count_) {
        count_ = count + count / 2;
        memory_ = executor.allocate(count_ * sizeof(T));
      }
      return reinterpret_cast<T*>(memory_.get());
    }

   private:
    std::shared_ptr<std::byte> memory_;
    std::size_t count_ = 0;
  };
  template <class T>
  void take(std::vector<T>& to, const void* from) const {
    if (!to.empty()) kernels_->take(to.data(), from, to.size() * sizeof(T));
  }
  template <class T>
  void put(void* to, const std::vector<T>& from) {
    if (!from.empty()) kernels_->put(to, from.data(), from.size() * sizeof(T));
  }
  template <class T>
  T* copy_of(Array<T>& array, const std::vector<T>& from) {
    T* const there = array.room_for(executor_, from.size());
    put(there, from);
    return there;
  }

  Executor& executor_;
  std::unique_ptr<BodyKernels> of_host_;
  BodyKernels* kernels_;
  BodyTask task_;
  Array<device::BodyNumbers> shapes_;
  Array<device::NodesOfPatch> patches_;
  Array<device::int32> tiles_, order_, first_, flag_;
  Array<device::uint64> planes_;
  Array<device::BodyState> bodies_, moved_;
  Array<device::BodyPlace> places_;
  Array<device::BodyLink> links_;
  Array<device::FixedForce> forces_;
  Array<device::int64> sums_;
  Array<device::BodyPush> pushes_;
  Array<device::BodyFault> faults_;
};

}  // namespace goban
