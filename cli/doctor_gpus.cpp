#include "cli/doctor_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "cli/text.hpp"
#include "goban/base/error.hpp"

namespace goban::cli {
namespace {

std::string name_of(const Gpu& gpu) { return "cuda:" + std::to_string(gpu.number); }

template <class Visit>
void visit_pairs(const GpuSurvey& survey, Visit&& visit) {
  for (std::size_t a = 0; a < survey.links.size(); ++a) {
    for (std::size_t b = 0; b < survey.links[a].size(); ++b) {
      if (a != b) visit(a, b, survey.links[a][b]);
    }
  }
}

/// A row and a column for every GPU.
template <class Text>
void print_matrix(std::ostream& out, const std::string& title, const GpuSurvey& survey,
                  Text&& text) {
  out << fmt::format("  {:<24}", title);
  for (const Gpu& gpu : survey.gpus)
    out << fmt::format("{:>9}", "to " + std::to_string(gpu.number));
  out << "\n";
  for (std::size_t a = 0; a < survey.links.size(); ++a) {
    out << fmt::format("    {:<22}", "from " + name_of(survey.gpus[a]));
    for (std::size_t b = 0; b < survey.links[a].size(); ++b) {
      out << fmt::format("{:>9}", a == b ? "-" : text(survey.links[a][b]));
    }
    out << "\n";
  }
}

}  // namespace

GpuSurvey survey_gpus() {
  GpuSurvey survey;
  const auto attempt = [&](auto&& measure) {
    try {
      measure();
    } catch (const Error& error) {
      survey.failures.emplace_back(error.what());
    }
  };
  GpuBackend* const backend = gpu_backend_of_machine();
  if (!backend) {
    survey.software.driver_refusal = "no driver for GPUs can be loaded";
    return survey;
  }
  survey.software = backend->software();
  attempt([&] { survey.gpus = backend->gpus(); });
  const std::size_t count = survey.gpus.size();
  survey.speeds.resize(count);
  survey.links.assign(count, std::vector<GpuLink>(count));
  for (std::size_t n = 0; n < count; ++n) {
    attempt([&] { survey.speeds[n] = backend->measure(survey.gpus[n].number); });
  }
  for (std::size_t a = 0; a < count && survey.failures.empty(); ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      if (a == b) continue;
      attempt([&] {
        survey.links[a][b] = backend->measure_link(survey.gpus[a].number, survey.gpus[b].number);
      });
    }
  }
  return survey;
}

void print_gpus(std::ostream& out, const GpuSurvey& survey) {
  for (std::size_t n = 0; n < survey.gpus.size(); ++n) {
    const Gpu& gpu = survey.gpus[n];
    const GpuSpeed& speed = survey.speeds[n];
    out << fmt::format("{:<17}{}, {} multiprocessors, {}, {} free\n", name_of(gpu), gpu.name,
                       gpu.multiprocessors, bytes_text(gpu.memory), bytes_text(gpu.memory_free));
    if (speed.copy_bandwidth == 0) {
      out << fmt::format("{:<17}too little of its memory is free to measure it\n", "");
      continue;
    }
    out << fmt::format("{:<17}copy {:.0f} GB/s, to the host {:.1f} GB/s, from the host {:.1f} GB/s",
                       "", speed.copy_bandwidth / 1e9, speed.to_host / 1e9, speed.from_host / 1e9);
    if (speed.launch > 0) out << fmt::format(", launch {:.1f} us", speed.launch * 1e6);
    out << "\n";
  }
  if (!survey.gpus.empty()) {
    const GpuSoftware& software = survey.software;
    const std::string& folder = software.kernel_folder;
    out << fmt::format("{:<17}driver of CUDA {}; {}, kernels are kept in {}\n", "", software.driver,
                       software.compiler.empty() ? "no compiler" : software.compiler,
                       folder.empty() ? "no folder" : folder);
  }
  if (survey.gpus.size() > 1) {
    out << "between GPUs\n";
    print_matrix(out, "GB/s, 64 MiB", survey, [](const GpuLink& link) {
      return decimals(link.bandwidth / 1e9, 0) + (link.is_direct ? "" : " *");
    });
    print_matrix(out, "microseconds, 8 bytes", survey, [](const GpuLink& link) {
      return decimals(link.latency * 1e6, 1) + (link.is_direct ? "" : " *");
    });
    bool all_direct = true;
    visit_pairs(survey, [&](auto, auto, const GpuLink& link) { all_direct &= link.is_direct; });
    if (!all_direct) out << "  * through the host: these do not reach each other's memory\n";
  }
  out << std::flush;
}

std::vector<std::string> advice_on_gpus(const GpuSurvey& survey) {
  std::vector<std::string> advice = survey.failures;
  const auto& gpus = survey.gpus;
  if (!gpus.empty() && !survey.software.compiler_refusal.empty()) {
    advice.push_back("nothing can be computed on GPUs: " + survey.software.compiler_refusal);
  }

  std::string apart;
  std::vector<double> bandwidths;
  visit_pairs(survey, [&](std::size_t a, std::size_t b, const GpuLink& link) {
    if (link.is_direct) bandwidths.push_back(link.bandwidth);
    if (a < b && survey.failures.empty() && !(link.is_direct && survey.links[b][a].is_direct)) {
      apart += (apart.empty() ? "" : ", ") + name_of(gpus[a]) + " and " + name_of(gpus[b]);
    }
  });
  if (!apart.empty()) {
    advice.push_back("GPUs that do not reach each other's memory: " + apart +
                     "; do not compute on both at once (nvidia-smi topo -p2p r says why)");
  }
  const double usual = median(bandwidths);
  visit_pairs(survey, [&](std::size_t a, std::size_t b, const GpuLink& link) {
    if (!link.is_direct || link.bandwidth == 0 || link.bandwidth >= 0.7 * usual) return;
    advice.push_back(fmt::format(
        "the link from {} to {} moves {:.0f} GB/s, others {:.0f}: see nvidia-smi topo -m and "
        "nvidia-smi nvlink -s",
        name_of(gpus[a]), name_of(gpus[b]), link.bandwidth / 1e9, usual / 1e9));
  });

  std::map<std::string, double> best_copy;  // by model
  std::vector<double> host_rates;
  for (std::size_t n = 0; n < gpus.size(); ++n) {
    double& best = best_copy[gpus[n].name];
    best = std::max(best, survey.speeds[n].copy_bandwidth);
    host_rates.push_back(std::min(survey.speeds[n].to_host, survey.speeds[n].from_host));
  }
  const double usual_host = median(host_rates);
  for (std::size_t n = 0; n < gpus.size(); ++n) {
    const GpuSpeed& speed = survey.speeds[n];
    const std::string name = name_of(gpus[n]);
    const double best = best_copy[gpus[n].name];
    if (speed.copy_bandwidth > 0 && speed.copy_bandwidth < 0.9 * best) {
      advice.push_back(fmt::format(
          "{} copies {:.0f} GB/s, the best of its kind {:.0f}: another program computes on it, or "
          "its clocks are held down (nvidia-smi -q -d PERFORMANCE)",
          name, speed.copy_bandwidth / 1e9, best / 1e9));
    }
    if (host_rates[n] > 0 && host_rates[n] < 0.7 * usual_host) {
      advice.push_back(fmt::format(
          "{} exchanges {:.1f} GB/s with the host, others {:.1f}: it has fewer PCIe lanes or hangs "
          "on the other socket (nvidia-smi topo -m)",
          name, host_rates[n] / 1e9, usual_host / 1e9));
    }
    if (speed.launch > 10e-6) {
      advice.push_back(fmt::format(
          "a launch on {} takes {:.1f} us, which small patches feel: other programs use the host's "
          "cores, or a profiler is attached",
          name, speed.launch * 1e6));
    }
    const Index in_use = gpus[n].memory - gpus[n].memory_free;
    constexpr Index own_use = Index{2} << 30;  // the driver and this program take up to 1 GiB
    if (in_use > own_use) {
      advice.push_back(
          fmt::format("{} of the memory of {} is in use: nvidia-smi names the programs",
                      bytes_text(in_use), name));
    }
  }
  return advice;
}

}  // namespace goban::cli
