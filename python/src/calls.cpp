#include "calls.hpp"

#include <new>

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
  } catch (const std::bad_alloc&) {
    last_text = "out of memory (an allocation failed); use a smaller grid or fewer fields";
    return static_cast<int>(ExitCode::resources);
  } catch (const std::exception& error) {
    last_text = std::string("internal error: ") + error.what();
    return 1;
  }
}

}  // namespace goban::python

GOBAN_PYTHON_CALL const char* goban_python_text() { return goban::python::last_text.c_str(); }
