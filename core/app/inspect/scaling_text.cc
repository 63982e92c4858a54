// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/inspect/scaling_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/options/quantity_text.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

/// Three digits: "12.3 s", "340 ms", "21.0 us".
std::string Duration(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:.3g} ms", seconds * 1e3)
                         : fmt::format("{:.3g} us", seconds * 1e6);
}

double Share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string Head(const ScalingBasis& basis) {
  const RunProfile& profile = basis.profile;
  const NetworkModel& network = basis.network;
  return fmt::format(
      "profile     {} windows, {} simulated, {} on {} rank{}, {} domains\n"
      "network     latency {}, {:.3g} GB/s, {} a batch and {} a message of a processor's time\n"
      "one rank    {} predicted for the same\n"
      "weights     {}\n",
      profile.windows, ToText(profile.end), Duration(profile.wall_seconds), profile.ranks,
      profile.ranks == 1 ? "" : "s", profile.events.size(), Duration(network.latency_seconds),
      network.bytes_per_second / 1e9, Duration(network.batch_seconds),
      Duration(network.message_seconds), Duration(basis.serial_seconds),
      basis.measured_weights ? "measured" : "rates of ports (--weights PROFILE: measured)");
}

std::string Row(const ScalingForecast& row) {
  return fmt::format(
      "{:>5} {:<6} {:>7} {:>8.1f} {:>6.2f} {:>7.2f} {:>9} {:>6.0f}% {:>6.0f}% {:>6.0f}% {:>6.0f}% "
      "{:>9} {:>8.1f} "
      "{:>10.2f}\n",
      row.ranks, row.partitioner, row.domains, row.partners, row.imbalance, row.window_imbalance,
      RateText(row.messages), Share(row.even_seconds, row.seconds),
      Share(row.waiting_seconds, row.seconds), Share(row.message_seconds, row.seconds),
      Share(row.sync_seconds, row.seconds), Duration(row.seconds), row.speedup, row.efficiency);
}

std::string Choice(const ScalingForecast& row) {
  return fmt::format("{} ranks, --partition {}: {:.1f} times as fast as one, efficiency {:.2f}",
                     row.ranks, row.partitioner, row.speedup, row.efficiency);
}

std::string Advice(const std::vector<ScalingForecast>& forecasts) {
  const ScalingForecast* fastest = Fastest(forecasts);
  if (fastest == nullptr) return "";
  const ScalingForecast* worth = WorthIt(forecasts, kWorthwhile);
  const std::string none =
      fmt::format("one rank: no more has an efficiency of {} here", kWorthwhile);
  return fmt::format("worth it    {}\nfastest     {}\n", worth != nullptr ? Choice(*worth) : none,
                     fastest->speedup > 1 ? Choice(*fastest) : "one rank");
}

Json RowJson(const ScalingForecast& row) {
  return {{"ranks", row.ranks},
          {"partition", row.partitioner},
          {"domains", row.domains},
          {"partners", row.partners},
          {"imbalance", row.imbalance},
          {"window_imbalance", row.window_imbalance},
          {"messages", row.messages},
          {"even_seconds", row.even_seconds},
          {"waiting_seconds", row.waiting_seconds},
          {"critical_seconds", row.critical_seconds()},
          {"message_seconds", row.message_seconds},
          {"sync_seconds", row.sync_seconds},
          {"seconds", row.seconds},
          {"speedup", row.speedup},
          {"efficiency", row.efficiency}};
}

Json ChoiceJson(const ScalingForecast* row) {
  if (row == nullptr) return nullptr;
  return {{"ranks", row->ranks}, {"partition", row->partitioner}};
}

}  // namespace

std::string ScalingTable(const ScalingBasis& basis, const std::vector<ScalingForecast>& forecasts) {
  std::string text = Head(basis);
  text += fmt::format(
      "{:>5} {:<6} {:>7} {:>8} {:>6} {:>7} {:>9} {:>7} {:>7} {:>7} {:>7} {:>9} {:>8} {:>10}\n",
      "ranks", "cut", "domains", "partners", "load", "window", "messages", "work", "uneven", "talk",
      "sync", "time", "speed-up", "efficiency");
  for (const ScalingForecast& row : forecasts) text += Row(row);
  return text + Advice(forecasts);
}

std::string ScalingJson(const ScalingBasis& basis, const std::vector<ScalingForecast>& forecasts) {
  const NetworkModel& network = basis.network;
  Json rows = Json::array();
  for (const ScalingForecast& row : forecasts) rows.push_back(RowJson(row));
  const Json json = {{"windows", basis.profile.windows},
                     {"simulated_ps", basis.profile.end.ps},
                     {"profile_wall_seconds", basis.profile.wall_seconds},
                     {"profile_ranks", basis.profile.ranks},
                     {"measured_weights", basis.measured_weights},
                     {"network",
                      {{"latency_seconds", network.latency_seconds},
                       {"bytes_per_second", network.bytes_per_second},
                       {"batch_seconds", network.batch_seconds},
                       {"message_seconds", network.message_seconds}}},
                     {"serial_seconds", basis.serial_seconds},
                     {"forecasts", rows},
                     {"worth_it", ChoiceJson(WorthIt(forecasts, kWorthwhile))},
                     {"fastest", ChoiceJson(Fastest(forecasts))}};
  return json.dump(2) + "\n";
}

}  // namespace heddle
