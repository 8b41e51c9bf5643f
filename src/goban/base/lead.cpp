#include "goban/base/lead.hpp"

#include <exception>
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
    std::exception_ptr thrown;
    try {
      lead([&](std::int64_t what) { told(communicator, {false, what}); });
    } catch (const std::exception&) {
      thrown = std::current_exception();
    }
    told(communicator, {});
    if (thrown) std::rethrow_exception(thrown);
  });
}

}  // namespace goban
