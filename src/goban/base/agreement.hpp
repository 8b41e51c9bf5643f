#pragma once
// Work that may fail on some ranks and then fails on all.

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "goban/base/communicator.hpp"
#include "goban/base/error.hpp"

namespace goban {

/// Collective. Throws on every rank the error of the lowest rank that has one.
void throw_on_all(Communicator& communicator, const std::optional<Error>& error);

/// What any std::exception says.
Error as_error(const std::exception_ptr& thrown);

/// Collective: what `work` throws on one rank is thrown on all, as an Error.
template <class Work>
void agree(Communicator& communicator, Work&& work) {
  if (communicator.size() == 1) return work();
  std::optional<Error> error;
  try {
    work();
  } catch (const std::exception&) {
    error = as_error(std::current_exception());
  }
  throw_on_all(communicator, error);
}

/// Collective: the text that `make` gives on the first rank, on all of them. What it throws there
/// is thrown on all, as an Error.
std::string text_of_first(Communicator& communicator, const std::function<std::string()>& make);

}  // namespace goban
