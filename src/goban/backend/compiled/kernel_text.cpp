#include "goban/backend/compiled/kernel_text.hpp"

#include <set>
#include <stdexcept>

namespace goban {
namespace {

class Including {
 public:
  explicit Including(std::span<const KernelText> texts) : texts_(texts) {}

  std::string whole(std::string_view text) {
    constexpr std::string_view include = "#include \"", once = "#pragma once";
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      at = end + 1;
      if (line.starts_with(include)) {
        const auto name = line.substr(include.size(), line.rfind('"') - include.size());
        if (included_.insert(name).second) all += whole(named(name));
      } else if (line != once) {
        all.append(line).push_back('\n');
      }
    }
    return all;
  }

 private:
  std::string_view named(std::string_view name) const {
    for (const KernelText& text : texts_) {
      if (text.name == name) return text.text;
    }
    throw std::logic_error("no text of kernels is called " + std::string(name));
  }

  std::span<const KernelText> texts_;
  std::set<std::string_view> included_;
};

}  // namespace

std::string with_includes(std::string_view text, std::span<const KernelText> texts) {
  return Including(texts).whole(text);
}

}  // namespace goban
