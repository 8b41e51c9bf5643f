#pragma once
// Texts that those of kernels include.

#include <span>
#include <string>
#include <string_view>

namespace goban {

/// A text and the name it is included by.
struct KernelText {
  std::string_view name, text;
};

/// The text with all that it includes, each once.
std::string with_includes(std::string_view text, std::span<const KernelText> texts);

}  // namespace goban
