#include "goban/adjoint/kept_states.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>

#include "goban/adjoint/field_stages.hpp"
#include "goban/backend/host/control_group.hpp"
#include "goban/base/error.hpp"
#include "goban/checkpoint/block_file.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/domain/ranks/rank_reductions.hpp"

namespace goban::detail {
namespace {

namespace fs = std::filesystem;

/// What a rank keeps of a field: a slab across its longest axis.
Box share_of(const GridState& grid, const FieldRecord& field) {
  Box box = grid.domain(field.location);
  const Index3 extents = box.extents();
  const auto axis =
      static_cast<std::size_t>(std::max_element(extents.begin(), extents.end()) - extents.begin());
  const auto communicator = grid.root->context->communicator();
  const Index lower = box.lower[axis], rank = communicator->rank(), ranks = communicator->size();
  box.lower[axis] = lower + extents[axis] * rank / ranks;
  box.upper[axis] = lower + extents[axis] * (rank + 1) / ranks;
  return box;
}

std::size_t bytes_of(const FieldRecord& field, const Box& box) {
  return static_cast<std::size_t>(box.volume() * field.components) * field.element_size();
}

class StateInFields : public KeptState {
 public:
  StateInFields(AdjointFields& fields, const std::vector<FieldPointer>& state) {
    Program save("states kept"), restore("states restored");
    for (const FieldPointer& field : state) {
      const FieldPointer copy = fields.make_copy(*field);
      copy->is_output = true;  // it outlives the run that writes it
      save.add(copying_stage(field, copy, fields.grid()));
      restore.add(copying_stage(copy, field, fields.grid()));
    }
    if (state.empty()) return;
    save_ = std::make_unique<Engine>(save);
    restore_ = std::make_unique<Engine>(restore);
  }
  void save() override { run(save_.get()); }
  void restore() override { run(restore_.get()); }

 private:
  static void run(Engine* engine) {
    if (!engine) return;
    StepClock clock;
    engine->run(1, clock);
    engine->synchronize();
  }
  std::unique_ptr<Engine> save_, restore_;
};

class StateOnHost : public KeptState {
 public:
  /// What is taken from the system anew is slow at first: a page at a time.
  StateOnHost(std::shared_ptr<GridState> grid, const std::vector<FieldPointer>& state)
      : grid_(std::move(grid)), state_(state) {
    for (const FieldPointer& field : state_) {
      values_.push_back(
          std::make_unique_for_overwrite<std::byte[]>(bytes_of(*field, share_of(*grid_, *field))));
    }
  }
  void save() override {
    for (std::size_t n = 0; n < state_.size(); ++n) {
      copy_out(*grid_, *state_[n], share_of(*grid_, *state_[n]), values_[n].get());
    }
  }
  void restore() override {
    for (std::size_t n = 0; n < state_.size(); ++n) {
      copy_in(*grid_, *state_[n], share_of(*grid_, *state_[n]), values_[n].get());
    }
  }

 private:
  std::shared_ptr<GridState> grid_;
  std::vector<FieldPointer> state_;
  std::vector<std::unique_ptr<std::byte[]>> values_;
};

class StateInFile : public KeptState {
 public:
  StateInFile(std::shared_ptr<GridState> grid, const std::vector<FieldPointer>& state,
              fs::path path)
      : grid_(std::move(grid)), state_(state), path_(std::move(path)) {}
  ~StateInFile() override {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  StateInFile(const StateInFile&) = delete;
  StateInFile& operator=(const StateInFile&) = delete;

  void save() override {
    BlockFileWriter file(path_);
    std::vector<std::byte> values;
    for (const FieldPointer& field : state_) {
      const Box box = share_of(*grid_, *field);
      values.resize(bytes_of(*field, box));
      copy_out(*grid_, *field, box, values.data());
      for (std::size_t done = 0; done < values.size(); done += block_bytes) {
        file.append(values.data() + done,
                    static_cast<Index>(std::min(block_bytes, values.size() - done)));
      }
    }
    file.finish({});
  }
  void restore() override {
    const BlockFile file(path_);
    std::size_t number = 0;
    std::vector<std::byte> values, block;
    for (const FieldPointer& field : state_) {
      const Box box = share_of(*grid_, *field);
      values.resize(bytes_of(*field, box));
      for (std::size_t done = 0; done < values.size(); done += block_bytes) {
        file.read(number++, block);
        std::memcpy(values.data() + done, block.data(), block.size());
      }
      copy_in(*grid_, *field, box, values.data());
    }
  }

 private:
  static constexpr std::size_t block_bytes = std::size_t{64} << 20;
  std::shared_ptr<GridState> grid_;
  std::vector<FieldPointer> state_;
  fs::path path_;
};

/// How many states of so many bytes each process finds room for in the memory of its machine, if a
/// fifth of what is free stays so.
Index states_on_host(Communicator& communicator, double bytes) {
  constexpr double used = 0.8;
  std::array<Index, 1> of_machine{static_cast<Index>(bytes)};
  sum_over_machine(communicator, of_machine);
  const double fit = used * static_cast<double>(process_memory().available) /
                     static_cast<double>(std::max<Index>(1, of_machine[0]));
  std::array<std::int64_t, 1> states{static_cast<std::int64_t>(fit)};
  communicator.minimum(states);
  return states[0];
}

/// How many there are: an evaluation that fails loses those that it used.
Index count(std::vector<std::weak_ptr<KeptState>>& states) {
  std::erase_if(states, [](const auto& state) { return state.expired(); });
  return static_cast<Index>(states.size());
}

}  // namespace

std::unique_ptr<KeptState> state_in_fields(AdjointFields& fields,
                                           const std::vector<FieldPointer>& state) {
  return std::make_unique<StateInFields>(fields, state);
}

std::unique_ptr<KeptState> state_on_host(const std::shared_ptr<GridState>& grid,
                                         const std::vector<FieldPointer>& state) {
  return std::make_unique<StateOnHost>(grid, state);
}

std::unique_ptr<KeptState> state_in_file(const std::shared_ptr<GridState>& grid,
                                         const std::vector<FieldPointer>& state,
                                         const fs::path& path) {
  return std::make_unique<StateInFile>(grid, state, path);
}

KeptStates::KeptStates(AdjointFields& fields, std::vector<FieldPointer> state)
    : fields_(&fields), state_(std::move(state)) {
  const GridState& grid = *fields.grid();
  for (const FieldPointer& field : state_) {
    bytes_ += static_cast<double>(bytes_of(*field, grid.domain(field->location)));
  }
  bytes_ /= grid.root->context->communicator()->size();
}

Index KeptStates::allow(const StateBudget& budget, double taken) {
  folder_ = budget.folder;
  if (state_.empty()) return budget.states;
  Domain& domain = domain_of(*fields_->grid());
  Index room = budget.states;
  const double paid_for = (budget.bytes - taken) / bytes_;
  if (paid_for < static_cast<double>(room)) room = std::max<Index>(0, static_cast<Index>(paid_for));
  const auto executors = domain.executors();
  const bool has_devices = std::any_of(executors.begin(), executors.end(), [](const Executor* one) {
    return one->device_memory() != nullptr;
  });
  most_in_fields_ = std::min(room, count(in_fields_) + domain.copies_that_fit(state_));
  most_on_host_ = 0;
  if (has_devices) {
    Communicator& communicator = *fields_->grid()->root->context->communicator();
    most_on_host_ =
        std::min(room - most_in_fields_, count(on_host_) + states_on_host(communicator, bytes_));
  }
  if (!folder_.empty()) return budget.states;
  const Index all = std::min(budget.states, most_in_fields_ + most_on_host_);
  if (all < 1) {
    throw Error(ExitCode::resources, "no room for a state of the gradient",
                "it takes " + std::to_string(static_cast<Index>(bytes_)) + " bytes of a process",
                "allow for more memory, or name a folder for states");
  }
  return all;
}

std::shared_ptr<KeptState> KeptStates::save() {
  std::shared_ptr<KeptState> state;
  if (spare_.empty()) {
    state = make();
  } else {
    state = std::move(spare_.back());
    spare_.pop_back();
  }
  state->save();
  return state;
}

std::shared_ptr<KeptState> KeptStates::make() {
  const auto noted = [](std::shared_ptr<KeptState> state,
                        std::vector<std::weak_ptr<KeptState>>& all) {
    all.push_back(state);
    return state;
  };
  if (count(in_fields_) < most_in_fields_ || state_.empty()) {
    return noted(state_in_fields(*fields_, state_), in_fields_);
  }
  if (count(on_host_) < most_on_host_ || folder_.empty()) {
    return noted(state_on_host(fields_->grid(), state_), on_host_);
  }
  static std::atomic<int> files = 0;
  fs::create_directories(folder_);
  const auto rank = fields_->grid()->root->context->communicator()->rank();
  const std::string name = "state-" + std::to_string(::getpid()) + "-" + std::to_string(files++);
  return state_in_file(fields_->grid(), state_,
                       folder_ / (name + "-of-rank-" + std::to_string(rank)));
}

}  // namespace goban::detail
