// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/analyze/path_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/check.h"
#include "core/base/units.h"

namespace heddle {
namespace {

std::string Percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// "+28.2 %"
std::string Gain(double gain) { return fmt::format("{:+.1f} %", 100 * gain); }

/// "16:8 18:0 17:4": switches and their ports, by number.
std::string PathText(const std::vector<Hop>& path) {
  std::string text;
  for (const Hop& hop : path)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", hop.node.value, hop.port.value);
  return text;
}

/// The name of a node; a result that is no valid one may have more.
std::string NodeText(const PathStudy& study, std::uint32_t node) {
  return node < study.node_names.size() ? study.node_names[node] : fmt::format("node {}", node);
}

/// "leaf 0:8, spine 1:0, leaf 3:4": the same by name.
std::string NamedPath(const PathStudy& study, const std::vector<Hop>& path) {
  std::string text;
  for (const Hop& hop : path)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", NodeText(study, hop.node.value),
                        hop.port.value);
  return text;
}

double Mean(const std::vector<ConnectionShares>& all, double (ConnectionShares::*figure)() const) {
  double sum = 0;
  for (const ConnectionShares& one : all) sum += (one.*figure)();
  return sum / static_cast<double>(all.size());
}

std::string SummaryLines(const PathStudy& study) {
  const std::vector<ConnectionShares>& all = study.connections;
  double paths = 0;
  for (const ConnectionShares& one : all) paths += static_cast<double>(one.distinct_paths());
  std::string text = fmt::format(
      "connections      {} that sent on several queue pairs, over {:.1f} different paths (mean)\n",
      all.size(), paths / static_cast<double>(all.size()));
  text += fmt::format(
      "shares           {} on the queue pair with the least, {} on that with the most (means; "
      "equal: {})\n",
      Percent(Mean(all, &ConnectionShares::least_share)),
      Percent(Mean(all, &ConnectionShares::most_share)), Percent(1.0 / study.queue_pairs));
  std::vector<double> gains;
  for (const ConnectionShares& one : all) gains.push_back(one.most_gain());
  const auto middle = gains.begin() + static_cast<std::ptrdiff_t>(gains.size() / 2);
  std::nth_element(gains.begin(), middle, gains.end());
  if (!std::isfinite(*middle)) return text;
  return text + fmt::format(
                    "equal shares     would have taken at most {} longer (median), if queue pairs "
                    "had not become faster\n                 with more to send; --against a result "
                    "with equal shares measures it\n",
                    Percent(*middle));
}

std::string Name(const PathStudy& study, const ConnectionShares& one) {
  const auto& [source, destination, job, channel, priority] = one.name;
  std::string text = fmt::format("{} to {}", NodeText(study, source), NodeText(study, destination));
  if (job > 0) text += fmt::format(", job {}", job);
  if (study.has_jobs) text += fmt::format(", channel {}", channel);
  return text;
}

std::string ConnectionLines(const PathStudy& study, const ConnectionShares& one) {
  std::string text =
      fmt::format("\n{}: {} in {} message{}", Name(study, one), ToText(Bytes{one.bytes}),
                  one.messages, one.messages == 1 ? "" : "s");
  if (one.time_ps >= 0) text += fmt::format(", {:.1f} us", Time{one.time_ps}.microseconds());
  text += "\n  source port   share       bytes  path (switch:port)\n";
  for (const PathShare& pair : one.pairs) {
    text += fmt::format("  {:>11}{:>8}{:>12}  {}\n", pair.source_port,
                        Percent(static_cast<double>(pair.bytes) / static_cast<double>(one.bytes)),
                        ToText(Bytes{pair.bytes}),
                        pair.path.empty() ? "by packet" : NamedPath(study, pair.path));
  }
  if (one.pairs.size() < one.queue_pairs)
    text += fmt::format("  {} of {} queue pairs sent nothing\n", one.queue_pairs - one.pairs.size(),
                        one.queue_pairs);
  return text;
}

double Spread(const WeighedConnection& one) {
  double least = 1, most = 0;
  for (const WeighedConnection::Pair& pair : one.pairs) {
    least = std::min(least, pair.weight);
    most = std::max(most, pair.weight);
  }
  return most - least;
}

std::string WeightLines(const PathStudy& study, const WeighedConnection& one) {
  std::string text = fmt::format(
      "\n{} to {}, connection {}: weights at the last of {} updates\n  queue pair  weight  "
      "  estimate      posted\n",
      NodeText(study, one.source), NodeText(study, one.destination), one.connection, one.updates);
  for (std::size_t i = 0; i < one.pairs.size(); ++i) {
    const WeighedConnection::Pair& pair = one.pairs[i];
    text += fmt::format("  {:>10}{:>8}{:>9.2f} us{:>12}\n", i, Percent(pair.weight),
                        Time{pair.estimate_ps}.microseconds(), ToText(Bytes{pair.posted_bytes}));
  }
  return text;
}

/// The first `most` of `all` by `before`, without changing their order else.
template <class Item, class Before>
std::vector<const Item*> First(const std::vector<Item>& all, std::size_t most,
                               const Before& before) {
  std::vector<const Item*> order;
  for (const Item& item : all) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(),
                   [&](const Item* a, const Item* b) { return before(*a, *b); });
  order.resize(std::min(order.size(), most));
  return order;
}

}  // namespace

std::string DescribePaths(const PathStudy& study, std::size_t shown, const std::string& gain) {
  std::string text = fmt::format("{}: requests.scheduler={}, {} queue pairs a connection\n",
                                 study.file, study.scheduler, study.queue_pairs);
  if (!study.connections.empty()) {
    text += SummaryLines(study) + gain;
    const auto further = [](const ConnectionShares& a, const ConnectionShares& b) {
      return a.most_share() - a.least_share() > b.most_share() - b.least_share();
    };
    for (const ConnectionShares* one : First(study.connections, shown, further))
      text += ConnectionLines(study, *one);
  } else if (study.has_flows) {
    text += "connections      none between servers sent on several queue pairs\n" + gain;
  }
  const auto wider = [](const WeighedConnection& a, const WeighedConnection& b) {
    return Spread(a) > Spread(b);
  };
  for (const WeighedConnection* one : First(study.weighed, shown, wider))
    text += WeightLines(study, *one);
  return text;
}

std::string ComparePaths(const PathStudy& study, const ConnectionTimes& other,
                         const std::string& file) {
  const auto same = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.bytes == b.second.bytes;
  };
  if (!std::equal(study.times.begin(), study.times.end(), other.begin(), other.end(), same)) {
    FailInput({file, 0}, fmt::format("other traffic than {}", study.file),
              "a result with the same bytes of each connection");
  }
  std::vector<double> gains;
  for (const auto& [name, here] : study.times) {
    const std::int64_t there = other.at(name).time_ps;
    if (here.time_ps > 0 && there >= 0)
      gains.push_back(static_cast<double>(there) / static_cast<double>(here.time_ps) - 1);
  }
  if (gains.empty()) return fmt::format("gain             none: no connection ended in both\n");
  std::sort(gains.begin(), gains.end());
  double sum = 0;
  for (const double gain : gains) sum += gain;
  const auto at = [&](double share) {
    return gains[static_cast<std::size_t>(share * static_cast<double>(gains.size() - 1))];
  };
  const auto slower = std::count_if(gains.begin(), gains.end(), [](double g) { return g < 0; });
  return fmt::format(
      "gain             {} over {}, mean of {} connections (10th percentile {}, 90th {}); {} "
      "slower\n",
      Gain(sum / static_cast<double>(gains.size())), file, gains.size(), Gain(at(0.1)),
      Gain(at(0.9)), slower);
}

std::string PathLines(const PathStudy& study) {
  std::string text = "src,dst,job,channel,priority,messages,time_ns,source_port,bytes,share,path\n";
  for (const ConnectionShares& one : study.connections) {
    const auto& [source, destination, job, channel, priority] = one.name;
    for (const PathShare& pair : one.pairs) {
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{:.6f},{}\n", source, destination, job, channel, priority,
          one.messages, one.time_ps < 0 ? -1 : one.time_ps / 1000, pair.source_port, pair.bytes,
          static_cast<double>(pair.bytes) / static_cast<double>(one.bytes), PathText(pair.path));
    }
  }
  return text;
}

}  // namespace heddle
