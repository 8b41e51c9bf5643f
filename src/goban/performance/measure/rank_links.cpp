#include "goban/performance/measure/rank_links.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

namespace goban {
namespace {

using Clock = std::chrono::steady_clock;

struct Trips {
  std::size_t bytes;
  int count;
};
constexpr Trips trips[] = {{64, 60}, {4096, 40}, {65536, 20}, {std::size_t{1} << 20, 8}};
constexpr std::size_t most_bytes = std::size_t{1} << 20;

void take(Inbox& inbox) {
  inbox.next();
  inbox.release();
}

void give(Outbox& outbox, std::size_t bytes) {
  outbox.next();
  outbox.send(bytes);
}

/// The one that asks sees the median of half a round trip.
std::vector<MessageTime> measure_with(Communicator& ranks, int other, int tag, bool asks) {
  const auto outbox = ranks.open_outbox(other, tag, most_bytes);
  const auto inbox = ranks.open_inbox(other, tag, most_bytes);
  for (int slot = 0; slot < 2; ++slot) {  // memory that was never touched is slow
    std::memset(outbox->next(), 0, most_bytes);
    outbox->send(most_bytes);
    take(*inbox);
  }
  std::vector<MessageTime> times;
  for (const auto& [bytes, count] : trips) {
    std::vector<double> seconds;
    for (int trip = 0; trip < count; ++trip) {
      const auto start = Clock::now();
      if (asks) give(*outbox, bytes);
      take(*inbox);
      if (!asks) give(*outbox, bytes);
      seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count() / 2);
    }
    const auto middle = seconds.begin() + count / 2;
    std::nth_element(seconds.begin(), middle, seconds.end());
    times.push_back({static_cast<double>(bytes), *middle});
  }
  return times;
}

}  // namespace

RankLink fit_link(std::span<const MessageTime> times) {
  // Minimises the sum of ((t0 + s g) / t - 1)^2 over t0 and g = 1 / B0.
  double a = 0, b = 0, c = 0, d = 0, e = 0;
  for (const auto& [s, t] : times) {
    a += 1 / (t * t);
    b += s / (t * t);
    c += s * s / (t * t);
    d += 1 / t;
    e += s / t;
  }
  const double determinant = a * c - b * b;
  double latency = (d * c - e * b) / determinant, gap = (a * e - b * d) / determinant;
  if (latency < 0) latency = 0, gap = e / c;
  if (gap <= 0) gap = times.back().seconds / times.back().bytes;
  return {.latency = latency, .bandwidth = 1 / gap};
}

std::vector<int> ranks_by_machine(const Communicator& ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks.size()));
  std::iota(order.begin(), order.end(), 0);
  const auto& machines = ranks.nodes();
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return machines[static_cast<std::size_t>(a)] < machines[static_cast<std::size_t>(b)];
  });
  return order;
}

std::vector<RankLink> measure_rank_links(Communicator& ranks) {
  const auto order = ranks_by_machine(ranks);
  const auto mine =
      static_cast<std::size_t>(std::find(order.begin(), order.end(), ranks.rank()) - order.begin());
  std::vector<Parcel> parcels;
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
    ranks.barrier();
    const bool asks = mine % 2 == first;
    if ((asks && mine + 1 == order.size()) || (!asks && mine == 0)) continue;
    const int other = order[asks ? mine + 1 : mine - 1];
    const auto times = measure_with(ranks, other, static_cast<int>(first), asks);
    if (!asks) continue;
    RankLink link = fit_link(times);
    link.from = ranks.rank();
    link.to = other;
    const auto bytes = std::as_bytes(std::span(&link, 1));
    parcels.push_back({0, {bytes.begin(), bytes.end()}});
  }
  std::vector<RankLink> links;
  for (const Parcel& parcel : ranks.exchange(std::move(parcels))) {
    std::memcpy(&links.emplace_back(), parcel.bytes.data(), sizeof(RankLink));
  }
  return links;
}

}  // namespace goban
