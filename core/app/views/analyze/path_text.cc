// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/analyze/path_text.h"

#include <fmt/format.h>

#include <vector>

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

std::string SummaryLines(const PathStudy& study) {
  const PathMeans means = MeansOf(study.connections);
  std::string text = fmt::format(
      "connections      {} that sent on several queue pairs, over {:.1f} different paths (mean)\n",
      study.connections.size(), means.paths);
  text += fmt::format(
      "shares           {} on the queue pair with the least, {} on that with the most (means; "
      "equal: {})\n",
      Percent(means.least_share), Percent(means.most_share), Percent(1.0 / study.queue_pairs));
  if (!means.median_gain) return text;
  return text + fmt::format(
                    "equal shares     would have taken at most {} longer (median), if queue pairs "
                    "had not become faster\n                 with more to send; --against a result "
                    "with equal shares measures it\n",
                    Percent(*means.median_gain));
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
  const PrintedColumns<QueuePairRow> columns = QueuePairColumns();
  text += "\n" + PrintedHead(columns);
  for (const QueuePairRow& row : RowsOf(study, one)) text += PrintedLine(columns, row);
  if (one.pairs.size() < one.queue_pairs)
    text += fmt::format("  {} of {} queue pairs sent nothing\n", one.queue_pairs - one.pairs.size(),
                        one.queue_pairs);
  return text;
}

std::string WeightLines(const PathStudy& study, const WeighedConnection& one) {
  const PrintedColumns<WeightRow> columns = WeightColumns();
  std::string text = fmt::format("\n{} to {}, connection {}: weights at the last of {} updates\n",
                                 NodeText(study, one.source), NodeText(study, one.destination),
                                 one.connection, one.updates);
  text += PrintedHead(columns);
  for (const WeightRow& row : RowsOf(one)) text += PrintedLine(columns, row);
  return text;
}

std::string GainLine(const PathGain& gain) {
  if (gain.connections == 0) return "gain             none: no connection ended in both\n";
  return fmt::format(
      "gain             {} over {}, mean of {} connections (10th percentile {}, 90th {}); {} "
      "slower\n",
      Gain(gain.mean), gain.file, gain.connections, Gain(gain.p10), Gain(gain.p90), gain.slower);
}

}  // namespace

std::string DescribePaths(const PathStudy& study, std::size_t shown,
                          const std::optional<PathGain>& gain) {
  std::string text = fmt::format("{}: requests.scheduler={}, {} queue pairs a connection\n",
                                 study.file, study.scheduler, study.queue_pairs);
  const std::string gained = gain ? GainLine(*gain) : "";
  if (!study.connections.empty()) {
    text += SummaryLines(study) + gained;
    for (const ConnectionShares* one : FurthestShares(study.connections, shown))
      text += ConnectionLines(study, *one);
  } else if (study.has_flows) {
    text += "connections      none between servers sent on several queue pairs\n" + gained;
  }
  for (const WeighedConnection* one : FurthestWeights(study.weighed, shown))
    text += WeightLines(study, *one);
  return text;
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
