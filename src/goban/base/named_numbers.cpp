#include "goban/base/named_numbers.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "goban/base/error.hpp"

namespace goban {

std::map<std::string, double> named_numbers(const std::string& option, const std::string& text,
                                            const std::vector<std::string>& names,
                                            const std::string& suggestion) {
  constexpr double most = 1e18;
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::usage, option + " " + text + " is refused", why, suggestion);
  };
  std::map<std::string, double> numbers;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos || std::find(names.begin(), names.end(), name) == names.end()) {
      std::string all;
      for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one + "=";
      refuse("'" + word + "' is none of " + all);
    }
    double number = 0;
    const char *first = word.data() + equals + 1, *last = word.data() + word.size();
    const auto [end, error] = std::from_chars(first, last, number);
    if (error != std::errc() || end != last) refuse("'" + word + "' has no number");
    if (!(number >= 0) || number > most) refuse(word + " is not between 0 and 1e18");
    numbers[name] = number;
  }
  return numbers;
}

}  // namespace goban
