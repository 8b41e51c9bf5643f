#pragma once
// The packs of the kernels of CPUs, applied to rows of numbers: compiled at run time, as kernels
// are.

#include <memory>
#include <string>
#include <vector>

#include "goban/backend/cpu/compiled/row_code.hpp"
#include "goban/base/error.hpp"

namespace goban::mathematics {

/// An expression of x and y, as kernels write it: "pow(x, y)". The machine code is made beside what
/// the caller does.
template <class T>
class PackRows {
 public:
  /// For packs of so many values each; of one: for a number that is the same for all cells.
  PackRows(const std::string& expression, const std::vector<int>& widths,
           const InstructionSet& isa = target_instructions())
      : widths_(widths) {
    std::string text =
        "#include \"memory.hpp\"\n#include \"mathematics.hpp\"\nnamespace goban::device {\n";
    std::vector<std::string> names;
    for (const int width : widths) {
      names.push_back("goban_packs_of_" + std::to_string(width));
      text += function_text(names.back(), expression, width);
    }
    code_ = cpu::code_of(text + "}\n", isa, names);
  }

  /// Values of as many bytes.
  static constexpr int width_of(int bytes) { return bytes / static_cast<int>(sizeof(T)); }
  /// Values of a register of this processor.
  static int register_width() { return width_of(target_instructions().vector_bytes); }

  const std::vector<int>& widths() const { return widths_; }

  /// result[i] = expression(x[i], y[i]) in packs of widths()[n]; `count` is a multiple of it. Error
  /// (ExitCode::resources): there is no machine code.
  void operator()(std::size_t n, const T* x, const T* y, T* result, std::size_t count) const {
    using Function = void (*)(const T*, const T*, T*, long long);
    if (code_->wait() != cpu::Code::State::ready) {
      throw Error(ExitCode::resources, "cannot compile a kernel", code_->refusal());
    }
    reinterpret_cast<Function>(code_->functions().at(n))(x, y, result,
                                                         static_cast<long long>(count));
  }

 private:
  static std::string function_text(const std::string& name, const std::string& expression,
                                   int width) {
    const std::string type = sizeof(T) == 4 ? "float" : "double", lanes = std::to_string(width);
    const auto value_of = [&](const std::string& name_of_one) {
      const std::string at = name_of_one + "_row[i]";
      return "    [[maybe_unused]] const auto " + name_of_one + " = " +
             (width == 1 ? at : "load<" + lanes + ">(&" + at + ")") + ";\n";
    };
    const std::string arguments = "(const " + type + "* x_row, const " + type + "* y_row, " + type +
                                  "* results, int64 count)";
    const std::string stored =
        width == 1 ? "results[i] = " + expression : "store<false>(results + i, " + expression + ")";
    return "extern \"C\" void " + name + arguments + " {\n" +
           "  for (int64 i = 0; i < count; i += " + lanes + ") {\n" + value_of("x") +
           value_of("y") + "    " + stored + ";\n  }\n}\n";
  }

  std::vector<int> widths_;
  std::shared_ptr<const cpu::Code> code_;
};

}  // namespace goban::mathematics
