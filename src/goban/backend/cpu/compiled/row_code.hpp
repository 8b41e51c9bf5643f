#pragma once
// Machine code of kernels: compiled when it is first asked for, here or by an earlier run, beside
// other work.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "goban/backend/cpu/kernel_shape.hpp"
#include "goban/grid/settings.hpp"

namespace goban::cpu {

/// What was set last, else `beside`.
KernelMode kernel_mode();
/// Sets the mode for all stages that have not been computed yet.
void set_kernel_mode(KernelMode mode);

/// The functions of one text, while they are made and after that.
class Code {
 public:
  enum class State { coming, ready, refused };

  Code(std::string text, InstructionSet isa, std::vector<std::string> names);

  /// Whether functions are there.
  State state() const { return state_.load(std::memory_order_acquire); }
  /// Waits until it is ready or refused.
  State wait() const;
  /// The functions in the order of their names, once the code is ready.
  const std::vector<void*>& functions() const { return functions_; }
  /// Why it is refused.
  const std::string& refusal() const { return refusal_; }
  const std::string& text() const { return text_; }

  /// Compiles it, or takes it from files. By whoever makes it.
  void make();

 private:
  std::string text_;
  InstructionSet isa_;
  std::vector<std::string> names_;
  std::vector<void*> functions_;
  std::string refusal_;
  std::atomic<State> state_{State::coming};
};

/// The same object for all that ask for the same text; it is made beside what the caller does.
std::shared_ptr<const Code> code_of(const std::string& text, const InstructionSet& isa,
                                    const std::vector<std::string>& names);

/// Returns when all that was asked for is there, or refused.
void wait_for_code();

/// What this process has done about machine code so far.
struct CodeStatistics {
  int compiled = 0, loaded = 0, refused = 0, coming = 0;
  double seconds = 0;  ///< seconds that compilers took
};
CodeStatistics code_statistics();

}  // namespace goban::cpu
