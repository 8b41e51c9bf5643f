#include "calls.hpp"

#include <exception>

#include "goban/base/agreement.hpp"

namespace goban::python {
namespace {

thread_local std::string last_text;

}  // namespace

void set_text(std::string text) { last_text = std::move(text); }

int failed() {
  try {
    throw;
  } catch (const Error& error) {
    last_text = error.what();
    return static_cast<int>(error.code());
  } catch (const std::exception&) {
    const Error error = as_error(std::current_exception());
    const bool is_internal = error.code() == ExitCode{1};
    last_text = (is_internal ? "internal error: " : "") + std::string(error.what());
    return static_cast<int>(error.code());
  }
}

}  // namespace goban::python

GOBAN_PYTHON_CALL const char* goban_python_text() { return goban::python::last_text.c_str(); }
