#pragma once
// Machine code of kernels. It is compiled in other threads when it is first asked for, or loaded
// from the files of an earlier run.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "goban/backend/cpu/kernel_shape.hpp"
#include "goban/grid/settings.hpp"

namespace goban::cpu {

/// Returns the mode that was set last, else `beside`.
KernelMode kernel_mode();
/// Sets the mode for all stages that have not been computed yet.
void set_kernel_mode(KernelMode mode);

/// The machine code of one text, while it is being made and afterwards.
class Code {
 public:
  enum class State { coming, ready, refused };

  Code(std::string text, InstructionSet isa, std::vector<std::string> names);

  /// Returns whether the functions are there.
  State state() const { return state_.load(std::memory_order_acquire); }
  /// Waits until it is ready or refused.
  State wait() const;
  /// Returns the functions in the order of their names. The code must be ready.
  const std::vector<void*>& functions() const { return functions_; }
  /// Returns why it was refused.
  const std::string& refusal() const { return refusal_; }
  const std::string& text() const { return text_; }

  /// Compiles the text or loads a file. Only the thread that makes the code calls it.
  void make();

 private:
  std::string text_;
  InstructionSet isa_;
  std::vector<std::string> names_;
  std::vector<void*> functions_;
  std::string refusal_;
  std::atomic<State> state_{State::coming};
};

/// Returns the code of a text, the same object for equal texts. It is made in other threads.
std::shared_ptr<const Code> code_of(const std::string& text, const InstructionSet& isa,
                                    const std::vector<std::string>& names);

/// Waits until all code that was asked for is ready or refused.
void wait_for_code();

/// What this process has compiled and loaded so far.
struct CodeStatistics {
  int compiled = 0, loaded = 0, refused = 0, coming = 0;
  double seconds = 0;  ///< the seconds that compilers took
};
CodeStatistics code_statistics();

}  // namespace goban::cpu
