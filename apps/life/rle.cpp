#include "life/rle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "goban/io/file/characters.hpp"
#include "goban/io/file/file.hpp"

namespace goban::life {
namespace {

constexpr Index largest_side = 1'000'000;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path), content_(read_text(path)) {}

  RlePattern read() {
    while (trimmed(ahead()).empty() || ahead().starts_with('#')) {
      if (rest().empty()) refuse("it has no header like x = 3, y = 3");
      skip_line();
    }
    header(trimmed(ahead()));
    skip_line();
    body();
    return pattern_;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw_unreadable(path_, why); }

  std::string_view rest() const { return std::string_view(content_).substr(at_); }
  /// The rest of the line.
  std::string_view ahead() const { return rest().substr(0, rest().find('\n')); }
  void skip_line() { at_ = std::min(content_.size(), at_ + ahead().size() + 1); }

  void header(std::string_view line) {
    while (!line.empty()) {
      // A rule holds commas of its own, and comes last.
      const std::size_t equals = line.find('=');
      const std::string_view name = trimmed(line.substr(0, equals));
      if (equals == std::string_view::npos)
        refuse("its header is not x = ..., y = ..., rule = ...");
      const std::size_t end =
          name == "rule" ? line.size() : std::min(line.find(',', equals), line.size());
      const std::string_view value = trimmed(line.substr(equals + 1, end - equals - 1));
      if (name == "x" || name == "y") {
        size_[name == "x" ? 0 : 1] = side(value);
      } else if (name == "rule") {
        pattern_.rule = rule(value);
      } else {
        refuse(fmt::format("its header says {}", name));
      }
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    if (size_[0] < 0 || size_[1] < 0) refuse("its header has no x or no y");
  }
  Index side(std::string_view text) const {
    Index value = -1;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size() || value < 0 ||
        value > largest_side)
      refuse(fmt::format("a size of {} is refused", text));
    return value;
  }
  /// "B3/S23" or "23/3", which has what survives first.
  Rule rule(std::string_view text) const {
    const std::size_t slash = text.find('/');
    std::string_view first = text.substr(0, slash);
    std::string_view second = slash == std::string_view::npos ? "" : text.substr(slash + 1);
    const auto take = [](std::string_view& part, std::string_view letters) {
      const bool is_there = !part.empty() && letters.find(part.front()) != std::string_view::npos;
      if (is_there) part.remove_prefix(1);
      return is_there;
    };
    const bool birth_is_first = take(first, "bB");
    const bool has_letters = birth_is_first || take(first, "sS");
    if (slash == std::string_view::npos ||
        (has_letters && !take(second, birth_is_first ? "sS" : "bB")))
      refuse_rule(text);
    const std::uint32_t one = counts(first, text), other = counts(second, text);
    return birth_is_first ? Rule{other, one} : Rule{one, other};
  }
  [[noreturn]] void refuse_rule(std::string_view text) const {
    refuse(fmt::format("its rule is {}, rules like B3/S23 are known", text));
  }
  std::uint32_t counts(std::string_view digits, std::string_view text) const {
    std::uint32_t counts = 0;
    for (const char c : digits) {
      if (!is_digit(c) || c == '9') refuse_rule(text);
      counts |= std::uint32_t{1} << (c - '0');
    }
    return counts;
  }

  void body() {
    Index x = 0, y = 0, run = 0;
    for (; at_ < content_.size(); ++at_) {
      const char c = content_[at_];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
      if (is_digit(c)) {
        run = 10 * run + (c - '0');
        if (run > largest_side) refuse("a run is too long");
        continue;
      }
      if (c == '!') return;
      const Index count = run == 0 ? 1 : run;
      run = 0;
      const bool is_alive = c == 'o' || (c >= 'A' && c <= 'X');
      if (c == '$') {
        x = 0;
        y += count;
      } else if (is_alive || c == 'b' || c == '.') {
        if (is_alive && (x + count > size_[0] || y >= size_[1]))
          refuse(fmt::format("it is larger than {} x {}, as its header says", size_[0], size_[1]));
        for (Index n = 0; is_alive && n < count; ++n) pattern_.cells.push_back({x + n, y, 0});
        x += count;
      } else {
        refuse(fmt::format("it holds the character '{}'", c));
      }
    }
    refuse("it does not end with !");
  }

  const std::filesystem::path& path_;
  std::string content_;
  std::size_t at_ = 0;
  Index size_[2] = {-1, -1};
  RlePattern pattern_;
};

}  // namespace

RlePattern read_rle(const std::filesystem::path& path) { return Reader(path).read(); }

}  // namespace goban::life
