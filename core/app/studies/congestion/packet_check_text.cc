// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/app/studies/congestion/packet_check.h"
#include "core/app/studies/static_study/statistics.h"
#include "core/options/quantity_text.h"

namespace heddle {
namespace {

constexpr std::size_t kMostRows = 12, kMostFlows = 5;
/// Shares that differ by less agree.
constexpr double kClose = 0.03;

/// Simulated over counted share.
double RatioOf(const CheckedMessage& message) { return message.share * message.weight; }

std::string ByWeight(const PacketCheck& check) {
  std::map<double, std::vector<double>> shares;
  for (const CheckedMessage& message : check.messages)
    shares[message.weight].push_back(message.share);
  std::string text;
  std::size_t shown = 0;
  for (const auto& [weight, of_packets] : shares) {
    if (++shown > kMostRows) {
      text += fmt::format("                 and {} more weights\n", shares.size() - kMostRows);
      break;
    }
    const Statistics s = StatisticsOf(of_packets);
    text += fmt::format(
        "{:<16} {:>8.4g}: {} flows, counted share {:.4f}, of packets {:.4f} ({:+.1f} %), {:.4f} to "
        "{:.4f}\n",
        shown == 1 ? "by weight" : "", weight, of_packets.size(), 1 / weight, s.mean,
        100 * (s.mean * weight - 1), s.least, s.most);
  }
  return text;
}

std::string FarthestOff(const StaticPaths& paths, const PacketCheck& check) {
  std::vector<const CheckedMessage*> order;
  for (const CheckedMessage& message : check.messages) {
    if (std::abs(RatioOf(message) - 1) >= kClose) order.push_back(&message);
  }
  const auto off = [](const CheckedMessage* m) {
    return m->share > 0 ? std::abs(std::log(RatioOf(*m))) : 1e9;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* a, const auto* b) { return off(a) > off(b); });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostFlows, order.size()); ++i) {
    const CheckedMessage& m = *order[i];
    text += fmt::format("{:<16} {} to {}, level {}: counted {:.4f}, of packets {:.4f}\n",
                        i == 0 ? "farthest off" : "", paths.HostLabel(m.source),
                        paths.HostLabel(m.destination), m.level, 1 / m.weight, m.share);
  }
  return text;
}

/// Why shares may differ, by what the packets met.
std::string Reasons(const PacketCheck& check, std::size_t more, std::size_t less) {
  std::string text;
  const auto add = [&](bool holds, const std::string& line) {
    if (holds) text += fmt::format("{:<16} {}\n", text.empty() ? "why" : "", line);
  };
  add(more > 0, "more: flows that share a cable wait at others, or end first and leave it");
  add(less > 0 && check.marked > 0,
      "less: congestion control (marks) stays below the share that it could have");
  add(less > 0,
      "less: acknowledgements wait behind data of the other direction, and a window of one round "
      "trip alone (HAS_WIN) does not cover that");
  add(check.pauses > 0, GroupedDigits(static_cast<std::uint64_t>(check.pauses)) +
                            " PFC pauses also held flows that do not cross the full cable");
  add(check.dropped > 0 || check.timeouts > 0,
      fmt::format("{} packets were dropped, {} timeouts passed", check.dropped, check.timeouts));
  return text;
}

}  // namespace

std::string PacketCheckText(const StaticPaths& paths, const PacketCheck& check) {
  std::size_t close = 0, more = 0, less = 0;
  for (const CheckedMessage& message : check.messages) {
    const double ratio = RatioOf(message);
    close += std::abs(ratio - 1) < kClose ? 1 : 0;
    more += ratio >= 1 + kClose ? 1 : 0;
    less += ratio <= 1 - kClose ? 1 : 0;
  }
  std::string text = fmt::format("packets          {} flows in {} levels of run 0",
                                 check.messages.size(), check.levels);
  if (check.levels_left_out > 0) text += fmt::format("; {} levels left out", check.levels_left_out);
  text += "\n";
  if (check.messages.empty()) return text;
  text += fmt::format(
      "                 {} within {:.0f} % of 1/weight, {} get more, {} less; marks {}, pauses "
      "{}\n",
      close, 100 * kClose, more, less, check.marked, check.pauses);
  double counted = 0, of_packets = 0;
  for (const CheckedMessage& message : check.messages) {
    counted += 1 / message.weight;
    of_packets += message.share;
  }
  const auto count = static_cast<double>(check.messages.size());
  text += fmt::format("mean share       counted {:.4f}, of packets {:.4f}\n", counted / count,
                      of_packets / count);
  text += ByWeight(check) + FarthestOff(paths, check);
  return text + Reasons(check, more, less);
}

}  // namespace heddle
