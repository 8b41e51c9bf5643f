#include "goban/base/agreement.hpp"

#include <array>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

namespace goban {

Error as_error(const std::exception_ptr& thrown) {
  constexpr ExitCode internal_error{1};
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ExitCode::resources, "out of memory", "an allocation failed",
            "use a smaller grid or fewer fields"};
  } catch (const std::filesystem::filesystem_error& error) {
    return {ExitCode::files, "cannot use " + error.path1().string(), error.code().message()};
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) {
      return {internal_error, error.what()};
    }
    return {
        ExitCode::resources, "a thread cannot be started", error.code().message(),
        "raise the limits of processes and memory (ulimit -u, ulimit -v), or use fewer threads"};
  } catch (const std::exception& error) {
    return {internal_error, error.what()};
  }
}

void throw_on_all(Communicator& communicator, const std::optional<Error>& error) {
  std::array<std::int64_t, 1> first{error ? communicator.rank() : communicator.size()};
  communicator.minimum(first);
  if (first[0] == communicator.size()) return;
  const int speaker = static_cast<int>(first[0]);
  const bool speaks = speaker == communicator.rank();
  std::string text = speaks ? error->what() : std::string();
  std::array<std::int64_t, 2> about{static_cast<std::int64_t>(text.size()),
                                    speaks ? static_cast<std::int64_t>(error->code()) : 0};
  communicator.broadcast(std::as_writable_bytes(std::span(about)), speaker);
  text.resize(static_cast<std::size_t>(about[0]));
  communicator.broadcast(std::as_writable_bytes(std::span(text)), speaker);
  throw Error(static_cast<ExitCode>(about[1]), text);
}

std::string text_of_first(Communicator& communicator, const std::function<std::string()>& make) {
  std::string text;
  agree(communicator, [&] {
    if (communicator.rank() == 0) text = make();
  });
  std::array<std::uint64_t, 1> bytes{text.size()};
  communicator.broadcast(std::as_writable_bytes(std::span(bytes)), 0);
  text.resize(bytes[0]);
  communicator.broadcast(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

}  // namespace goban
