// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/bench/bench_causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "core/base/units.h"

namespace heddle {
namespace {

constexpr double kClose = 0.1;    ///< errors up to this need no cause
constexpr double kFlat = 2;       ///< times below so many of the shortest are latency
constexpr double kPlateau = 0.9;  ///< of the best bandwidth: it has reached its end

/// A size at which there are both times.
struct Compared {
  std::size_t at = 0;                  ///< of BenchTable::sizes
  double simulated = 0, measured = 0;  ///< [s]
  double bus_factor = 0;               ///< bus bandwidth times time
  std::string algorithm, protocol;     ///< "RING", "LL"; "NVLS_MULTIMEM", "SIMPLE"

  double error() const { return simulated / measured - 1; }
};

std::vector<Compared> ComparedOf(const BenchTable& table) {
  std::vector<Compared> all;
  const BenchColumn& column = table.simulated.front();
  for (std::size_t i = 0; i < table.sizes.size(); ++i) {
    const std::optional<BenchCell>& mine = column.cells[i];
    const std::optional<BenchCell>& theirs = table.measured->cells[i];
    if (!mine || !theirs) continue;
    const std::size_t space = mine->algorithm.find(' ');
    Compared one;
    one.at = i;
    one.simulated = mine->seconds;
    one.measured = theirs->seconds;
    one.bus_factor = theirs->bus_bandwidth * theirs->seconds;
    one.algorithm = mine->algorithm.substr(0, space);
    if (space != std::string::npos) one.protocol = mine->algorithm.substr(space + 1);
    all.push_back(std::move(one));
  }
  return all;
}

/// Where times of a table stand between latency and bandwidth.
enum class Regime { kLatency, kFilling, kRate, kOnce };

class Regimes {
 public:
  explicit Regimes(const std::vector<Compared>& all) : all_(all) {
    for (const Compared& one : all_) {
      shortest_ = std::min(shortest_, one.measured);
      best_ = std::max(best_, one.bus_factor / one.measured);
    }
  }
  Regime Of(std::size_t i) const {
    const Compared& one = all_[i];
    // A larger size that takes less time: something else went on.
    if (i + 1 < all_.size() && one.measured > (1 + kClose) * all_[i + 1].measured)
      return Regime::kOnce;
    if (one.measured < kFlat * shortest_) return Regime::kLatency;
    return one.bus_factor / one.measured >= kPlateau * best_ ? Regime::kRate : Regime::kFilling;
  }
  double best() const { return best_; }

 private:
  const std::vector<Compared>& all_;
  double shortest_ = 1e300, best_ = 0;
};

std::string Lower(std::string text) {
  for (char& letter : text)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

/// Which options set latency, the filling of pipelines, and the final rate.
struct OptionNames {
  std::string latency, filling, rate;
};

OptionNames NamesOf(const Compared& one, bool between) {
  const std::string p = one.protocol.empty() ? "simple" : Lower(one.protocol);
  const auto starts = [&](const char* name) { return one.algorithm.rfind(name, 0) == 0; };
  if (starts("NVLS_TREE"))
    return {"gpu.base_nvls, nic.tree_simple", "gpu.nvls_tree_rate, gpu.nvls_piece",
            "nic.share, gpu.nvls_tree_rate"};
  if (starts("NVLS"))
    return {"gpu.base_nvls, gpu.nvls_head", "gpu.nvls_piece, gpu.nvls_channel_rate",
            "gpu.nvls_rate"};
  if (starts("TREE"))
    return {between ? "gpu.base_" + p + ", nic.tree_" + p : "gpu.base_" + p + ", gpu.nvlink_" + p,
            "gpu.tree_rate_" + p, between ? "nic.share, gpu.tree_rate_" + p : "gpu.tree_rate_" + p};
  if (starts("DIRECT"))
    return {
        "gpu.base_direct" +
            std::string(between ? ", nic.peer_" + std::string(p == "ll" ? "ll" : "simple") : ""),
        between ? "nic.peer_simple, nic.relayed_rate" : "gpu.peer_simple, gpu.rate_direct",
        between ? "nic.share, nic.relayed_rate" : "gpu.rate_direct"};
  return {between ? "gpu.base_" + p + ", nic.net_" + p : "gpu.base_" + p + ", gpu.nvlink_" + p,
          "gpu.rate_" + p + (between && p == "ll" ? ", nic.line_ll" : ""),
          between ? "nic.share" : "gpu.rate_" + p};
}

/// Sizes that are off to the same side in one regime, by the same algorithm and protocol.
struct Stretch {
  std::size_t first = 0, last = 0;  ///< of the compared
  Regime regime = Regime::kLatency;
};

std::vector<Stretch> StretchesOf(const std::vector<Compared>& all, const Regimes& regimes) {
  std::vector<Stretch> stretches;
  bool open = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double error = all[i].error();
    if (std::abs(error) <= kClose) {
      open = false;
      continue;
    }
    const Regime regime = regimes.Of(i);
    const bool goes_on =
        open && stretches.back().regime == regime && (all[i - 1].error() > 0) == (error > 0) &&
        all[i - 1].algorithm == all[i].algorithm && all[i - 1].protocol == all[i].protocol;
    if (!goes_on) stretches.push_back({i, i, regime});
    stretches.back().last = i;
    open = true;
  }
  return stretches;
}

/// The mean of |log(simulated / measured)| of a stretch, by a share of the simulated times; none if
/// it is not known of each size.
std::optional<double> DistanceOf(const std::vector<Compared>& all, const Stretch& stretch,
                                 const std::vector<std::optional<double>>* share) {
  double sum = 0;
  for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
    const std::optional<double> of = share == nullptr ? 1.0 : (*share)[all[i].at];
    if (!of) return std::nullopt;
    sum += std::abs(std::log(all[i].simulated * *of / all[i].measured));
  }
  return sum / static_cast<double>(stretch.last - stretch.first + 1);
}

/// The alternative that fits a stretch within kClose, and much better than what was chosen.
const BenchAlternative* FittingOne(const std::vector<Compared>& all, const Stretch& stretch,
                                   const std::vector<BenchAlternative>& alternatives) {
  constexpr double kMuchBetter = 0.5;
  const BenchAlternative* best = nullptr;
  double least = std::min(kClose, kMuchBetter * DistanceOf(all, stretch, nullptr).value());
  for (const BenchAlternative& one : alternatives) {
    const std::optional<double> distance = DistanceOf(all, stretch, &one.share);
    if (!distance || *distance >= least) continue;
    least = *distance;
    best = &one;
  }
  return best;
}

std::string GBps(double rate) { return fmt::format("{:.1f} GB/s", rate / 1e9); }

void Explain(const std::vector<Compared>& all, const Stretch& stretch, const Regimes& regimes,
             const BenchSurroundings& around, BenchCause* cause) {
  const Compared& one = all[stretch.last];
  const std::string by = one.algorithm + (one.protocol.empty() ? "" : " " + one.protocol);
  const OptionNames names = NamesOf(one, around.between_servers);
  if (stretch.regime == Regime::kOnce) {
    cause->cause = "measured longer than the next larger size: a first use, or other traffic";
    return;
  }
  if (const BenchAlternative* other = FittingOne(all, stretch, around.alternatives)) {
    cause->cause = fmt::format("NCCL likely took {}, not {}", other->name, by);
    cause->options = other->settings;
    return;
  }
  if (!around.hardware) {
    cause->cause = fmt::format("latencies and rates of {} are not those of the hardware", by);
    cause->options = "--like nccl, collective.latency=hardware";
    return;
  }
  double missing = 0;
  for (std::size_t i = stretch.first; i <= stretch.last; ++i)
    missing += (all[i].measured - all[i].simulated) /
               static_cast<double>(stretch.last - stretch.first + 1);
  if (stretch.regime == Regime::kLatency) {
    cause->cause = fmt::format("latency of {}: measured {:.1f} us {}", by, std::abs(missing) * 1e6,
                               missing > 0 ? "more" : "less");
    cause->options = names.latency;
  } else if (stretch.regime == Regime::kRate) {
    cause->cause = fmt::format("rate that {} ends at: measured {} of bus bandwidth, simulated {}",
                               by, GBps(regimes.best()), GBps(one.bus_factor / one.simulated));
    cause->options = names.rate;
  } else {
    cause->cause = fmt::format(
        "pipelines of {} fill {}: pieces, channels (NCCL_BUFFSIZE, "
        "NCCL_MAX_NCHANNELS) or their rate",
        by, missing > 0 ? "slower" : "faster");
    cause->options = names.filling;
  }
}

std::string SizesText(const BenchCause& cause) {
  const std::string from = ToText(Bytes{cause.from});
  return cause.from == cause.to ? from : from + " to " + ToText(Bytes{cause.to});
}

std::string ErrorsText(const BenchCause& cause) {
  const std::string least = fmt::format("{:+.0f}", 100 * cause.least_error);
  const std::string most = fmt::format("{:+.0f}", 100 * cause.most_error);
  return least == most ? least + " %" : least + " to " + most + " %";
}

}  // namespace

std::vector<BenchCause> LikelyCauses(const BenchTable& table, const BenchSurroundings& around) {
  if (!table.measured || table.simulated.empty()) return {};
  const std::vector<Compared> all = ComparedOf(table);
  const Regimes regimes(all);
  std::vector<BenchCause> causes;
  for (const Stretch& stretch : StretchesOf(all, regimes)) {
    BenchCause cause;
    cause.from = table.sizes[all[stretch.first].at];
    cause.to = table.sizes[all[stretch.last].at];
    cause.least_error = cause.most_error = all[stretch.first].error();
    for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
      cause.least_error = std::min(cause.least_error, all[i].error());
      cause.most_error = std::max(cause.most_error, all[i].error());
    }
    Explain(all, stretch, regimes, around, &cause);
    causes.push_back(std::move(cause));
  }
  return causes;
}

std::string CausesText(const BenchTable& table, const std::vector<BenchCause>& causes) {
  if (!table.measured || table.simulated.empty()) return "";
  const std::vector<Compared> all = ComparedOf(table);
  const auto close = std::count_if(
      all.begin(), all.end(), [](const Compared& one) { return std::abs(one.error()) <= kClose; });
  std::string text = fmt::format("within {:.0f} % of what was measured: {} of {} sizes\n",
                                 100 * kClose, close, all.size());
  for (const BenchCause& cause : causes) {
    text += fmt::format("{:<22} {:<14} {}{}\n", SizesText(cause), ErrorsText(cause), cause.cause,
                        cause.options.empty() ? "" : " (" + cause.options + ")");
  }
  return text;
}

OrderedJson CausesJson(const std::vector<BenchCause>& causes) {
  OrderedJson list = OrderedJson::array();
  for (const BenchCause& cause : causes) {
    list.push_back({{"from_bytes", cause.from},
                    {"to_bytes", cause.to},
                    {"least_error", cause.least_error},
                    {"most_error", cause.most_error},
                    {"cause", cause.cause},
                    {"options", NullIfEmpty(cause.options)}});
  }
  return list;
}

}  // namespace heddle
