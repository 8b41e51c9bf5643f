#pragma once
// What `goban doctor` says of the ranks that an MPI has started.

#include <iosfwd>
#include <string>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/performance/measure/rank_links.hpp"

namespace goban::cli {

/// One rank as it describes itself.
struct RankCard {
  int machine = 0;
  std::string host, build, communicator;
  std::vector<int> cores;         ///< logical ones that it may run on
  int usable_cores = 1;           ///< physical ones of these, within its control group
  int threads = 1;                ///< threads that goban would use
  double copy_bandwidth = 0;      ///< bytes per second, all ranks copying at once; 0: not measured
  std::vector<std::string> gpus;  ///< GPUs that it would compute on, as "0000:1b:00.0 NVIDIA H200"
  std::vector<int> reached;       ///< neighbours below whose GPUs its GPU writes to
  std::string nccl;               ///< by which all GPUs exchange, one a rank; empty: they do not
  std::string no_nccl;            ///< why
  bool is_gpu_aware = false;      ///< the MPI takes memory of GPUs, as it says
  std::vector<int> reached_by_mpi;  ///< neighbours below that it does take it to and from
  bool is_watched = true;
};

struct RankSurvey {
  std::vector<RankCard> ranks;
  std::vector<RankLink> links;  ///< between neighbours
};

/// Complete on rank 0, empty elsewhere. Takes some seconds. Collective.
RankSurvey survey_ranks(Communicator& ranks);

void print_ranks(std::ostream& out, const RankSurvey& survey);

/// What is misconfigured, and what to do; a line each.
std::vector<std::string> advice_on_ranks(const RankSurvey& survey);

/// "0-3, 8".
std::string numbers_text(const std::vector<int>& ascending);

}  // namespace goban::cli
