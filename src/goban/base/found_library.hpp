#pragma once
// Libraries of others that no build needs: they are looked for when they are asked for.

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace goban {

/// The first of some libraries that there is. It is never closed.
class FoundLibrary {
 public:
  /// `variable` of the environment names another one, if it is set.
  explicit FoundLibrary(std::vector<std::string> files, const char* variable = nullptr) {
    const char* const named = variable == nullptr ? nullptr : std::getenv(variable);
    if (named != nullptr) files = {named};
    for (const std::string& file : files) {
      if (library_ != nullptr) break;
      library_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      file_ = file;
    }
    if (library_ == nullptr) refusal_ = "there is no " + files.front();
  }

  /// Sets a pointer to one of its functions; null where there is none of this name.
  template <class Function>
  void find(Function*& function, const char* name) {
    if (library_ == nullptr) return;
    function = reinterpret_cast<Function*>(::dlsym(library_, name));
    if (function == nullptr) refusal_ = file_ + " has no " + name;
  }

  bool is_there() const { return library_ != nullptr; }
  /// Why the library, or a function that was looked for, cannot be used; empty: it can.
  const std::string& refusal() const { return refusal_; }

 private:
  void* library_ = nullptr;
  std::string file_, refusal_;
};

}  // namespace goban
