#pragma once
// Values that have names, as words of case files and command lines.

namespace goban {

template <class T>
struct Named {
  const char* name;
  T value;
};

/// The name of a value in a table; "" where it has none.
template <class Table, class T>
constexpr const char* name_in(const Table& table, T value) {
  for (const auto& entry : table) {
    if (entry.value == value) return entry.name;
  }
  return "";
}

}  // namespace goban
