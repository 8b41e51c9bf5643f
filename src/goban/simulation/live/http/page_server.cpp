#include "goban/simulation/live/http/page_server.hpp"

#include <httplib.h>
#include <pthread.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "goban/base/error.hpp"

namespace goban {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t most_viewers = 16;
constexpr std::size_t threads = 3 * most_viewers;  // events, a plane and an order of each
constexpr auto between_signs = seconds(2);         // of life, by which lost viewers are noticed
constexpr auto patience_of_planes = seconds(20);
constexpr auto patience_of_writes = seconds(3);
constexpr std::size_t longest_order = 4096;  // bytes

/// 128 bits of the system, in hexadecimal digits.
std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(ExitCode::resources, "the live page has no token", std::strerror(errno));
  }
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

/// Takes as long wherever they differ.
bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  int difference = 0;
  for (std::size_t n = 0; n < a.size(); ++n) difference |= a[n] ^ b[n];
  return difference == 0;
}

/// Whether a name leads to this machine whoever is asked for its address. Ports may differ: that of
/// a tunnel is another.
bool is_of_this_machine(const std::string& host) {
  std::string name = host;
  const auto colon = name.rfind(':');
  if (colon != std::string::npos && name.find(']', colon) == std::string::npos) name.resize(colon);
  return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

template <class T>
bool read_number(const httplib::Request& request, const char* name, T& value) {
  if (!request.has_param(name)) return true;
  const std::string text = request.get_param_value(name);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<SliceWish> wish_of(const httplib::Request& request) {
  SliceWish wish;
  const bool reads = read_number(request, "field", wish.field) &&
                     read_number(request, "component", wish.component) &&
                     read_number(request, "axis", wish.axis) &&
                     read_number(request, "layer", wish.layer);
  if (!reads || wish.axis < 0 || wish.axis > 2) return {};
  return wish;
}

void refuse(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(why + "\n", "text/plain; charset=utf-8");
}

class PageServer : public LiveServer {
 public:
  PageServer(const LiveAddress& address, LiveBoard& board)
      : board_(board), socket_(address.socket), token_(random_token()) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(threads); };
    server_.set_payload_max_length(longest_order);
    server_.set_write_timeout(patience_of_writes);
    server_.set_tcp_nodelay(true);
    server_.set_keep_alive_max_count(1);  // a thread that waits for a request hears no stop()
    server_.set_default_headers(
        {{"Cache-Control", "no-store"},
         {"Referrer-Policy", "no-referrer"},
         {"X-Content-Type-Options", "nosniff"},
         {"Content-Security-Policy",
          "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src "
          "'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"}});
    server_.set_pre_routing_handler([this](const auto& request, auto& response) {
      return is_allowed(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                           : httplib::Server::HandlerResponse::Handled;
    });
    server_.Get("/", [](const auto&, auto& response) {
      response.set_content(live_page, "text/html; charset=utf-8");
    });
    server_.Get("/events", [this](const auto&, auto& response) { send_events(response); });
    server_.Get("/slice",
                [this](const auto& request, auto& response) { send_slice(request, response); });
    server_.Post("/order",
                 [this](const auto& request, auto& response) { take_order(request, response); });
    bind(address);
    begin();
  }
  ~PageServer() override {
    board_.close();
    // What is stopped writes no more: viewers read to the end first.
    const auto latest = std::chrono::steady_clock::now() + patience_of_writes;
    while (streams_ > 0 && std::chrono::steady_clock::now() < latest) {
      std::this_thread::sleep_for(milliseconds(5));
    }
    server_.stop();
    thread_.join();
    std::error_code gone;
    if (!socket_.empty()) std::filesystem::remove(socket_, gone);
  }

  std::string url() const override {
    return (socket_.empty() ? "http://127.0.0.1:" + std::to_string(port_)
                            : "http://localhost (socket " + socket_ + ")") +
           "/?token=" + token_;
  }

 private:
  void bind(const LiveAddress& address) {
    bool is_bound = false;
    // Another user's program must not take the port over.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    errno = 0;
    if (!socket_.empty()) {
      server_.set_address_family(AF_UNIX);
      const mode_t before = umask(0177);  // nobody else's to open
      is_bound = server_.bind_to_port(socket_, 80);
      umask(before);
    } else if (address.port > 0) {
      port_ = address.port;
      is_bound = server_.bind_to_port("127.0.0.1", port_);
    } else {
      port_ = server_.bind_to_any_port("127.0.0.1");
      is_bound = port_ > 0;
    }
    if (is_bound) return;
    const std::string why = errno != 0 ? std::strerror(errno) : "it cannot be bound";
    throw Error(ExitCode::usage,
                "no live page at " + (socket_.empty() ? "port " + std::to_string(port_) : socket_),
                why,
                socket_.empty() ? "leave the port out: one that is free is taken"
                                : "name a file that is not there yet");
  }
  /// Signals are for the thread of the run.
  void begin() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    while (!server_.is_running()) std::this_thread::yield();  // else stop() is not heard
  }

  bool is_allowed(const httplib::Request& request, httplib::Response& response) {
    const std::string host = request.get_header_value("Host");
    if (!is_of_this_machine(host)) {
      refuse(response, 403, "the host is not of this machine");
    } else if (request.has_header("Origin") &&
               request.get_header_value("Origin") != "http://" + host) {
      refuse(response, 403, "the request comes from another page");
    } else if (!is_same(request.get_param_value("token"), token_)) {
      refuse(response, 403, "the token is wrong: see what the run printed");
    } else {
      return true;
    }
    return false;
  }
  void send_events(httplib::Response& response) {
    if (streams_.fetch_add(1) >= most_viewers) {
      --streams_;
      return refuse(response, 503, "too many look at this run");
    }
    board_.enter();
    auto place = std::make_shared<LiveBoard::Place>();
    response.set_header("X-Accel-Buffering", "no");
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, place](std::size_t, httplib::DataSink& sink) {
          std::string text = board_.news(*place, between_signs);
          if (text.empty()) text = ":\n\n";
          if (!sink.write(text.data(), text.size())) return false;
          if (place->has_end) sink.done();
          return true;
        },
        [this](bool) {
          board_.leave();
          --streams_;
        });
  }
  void send_slice(const httplib::Request& request, httplib::Response& response) {
    const auto wish = wish_of(request);
    Index after = -1;
    if (!wish || !read_number(request, "after", after)) {
      return refuse(response, 400, "no plane is named so");
    }
    const std::string viewer = request.get_param_value("viewer");
    const auto slice = board_.slice(*wish, after, patience_of_planes, viewer);
    if (!slice) {
      response.status = 204;
      return;
    }
    // The length of what follows as JSON, padded so that the numbers are aligned.
    std::string head = slice->facts;
    head.append((8 - head.size() % 8) % 8, ' ');
    std::string body = std::to_string(head.size());
    body.resize(8, ' ');
    body += head;
    body.append(reinterpret_cast<const char*>(slice->values.data()),
                slice->values.size() * sizeof(float));
    response.set_content(std::move(body), "application/octet-stream");
  }
  void take_order(const httplib::Request& request, httplib::Response& response) {
    const std::string what = request.get_param_value("what");
    const auto wish = wish_of(request);
    for (std::size_t n = 0; n < live_order_names.size(); ++n) {
      if (what != live_order_names[n] || !wish) continue;
      if (board_.is_closed()) return refuse(response, 409, "the run is over");
      board_.order(static_cast<LiveOrder>(n), *wish);
      response.status = 204;
      return;
    }
    refuse(response, 400, "there is no such order");
  }

  LiveBoard& board_;
  std::string socket_, token_;
  int port_ = 0;
  std::atomic<std::size_t> streams_ = 0;
  httplib::Server server_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<LiveServer> serve_over_http(const LiveAddress& address, LiveBoard& board) {
  return std::make_unique<PageServer>(address, board);
}

}  // namespace goban
