#include "goban/base/lead.hpp"

#include <optional>
#include <span>

#include "goban/base/agreement.hpp"

namespace goban {
namespace {

struct Call {
  bool is_over = true;
  std::int64_t what = 0;
};

Call told(Communicator& communicator, Call call) {
  communicator.broadcast(std::as_writable_bytes(std::span(&call, 1)), 0);
  return call;
}

}  // namespace

void lead_ranks(Communicator& communicator, const std::function<void(const Announce&)>& lead,
                const std::function<void(std::int64_t what)>& follow) {
  agree(communicator, [&] {
    if (communicator.rank() > 0) {
      for (;;) {
        const Call call = told(communicator, {});
        if (call.is_over) return;
        follow(call.what);
      }
    }
    std::optional<Error> error;
    try {
      lead([&](std::int64_t what) { told(communicator, {false, what}); });
    } catch (const Error& e) {
      error = e;
    }
    told(communicator, {});
    if (error) throw *error;
  });
}

}  // namespace goban
