// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/inspect/scaling_text.h"

#include <fmt/format.h>

#include <utility>

#include "core/options/quantity_text.h"

namespace heddle {
namespace {

constexpr int kPartitionSchema = 1;

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

PrintedColumns<ScalingForecast> ForecastColumns() {
  using Row = ScalingForecast;
  const auto percent = [](double Row::*part) {
    return [part](const Row& row) { return fmt::format("{:.0f}%", Share(row.*part, row.seconds)); };
  };
  return {
      {"ranks", &Row::ranks, "ranks", 5},
      {"partition", &Row::partitioner, " cut", -7,
       [](const Row& row) { return " " + row.partitioner; }},
      {"domains", &Row::domains, "domains", 8},
      {"partners", &Row::partners, "partners", 9,
       [](const Row& row) { return fmt::format("{:.1f}", row.partners); }},
      {"imbalance", &Row::imbalance, "load", 7,
       [](const Row& row) { return fmt::format("{:.2f}", row.imbalance); }},
      {"window_imbalance", &Row::window_imbalance, "window", 8,
       [](const Row& row) { return fmt::format("{:.2f}", row.window_imbalance); }},
      {"messages", &Row::messages, "messages", 10,
       [](const Row& row) { return RateText(row.messages); }},
      {"even_seconds", &Row::even_seconds, "work", 8, percent(&Row::even_seconds)},
      {"waiting_seconds", &Row::waiting_seconds, "uneven", 8, percent(&Row::waiting_seconds)},
      {"critical_seconds", &Row::critical_seconds},
      {"message_seconds", &Row::message_seconds, "talk", 8, percent(&Row::message_seconds)},
      {"sync_seconds", &Row::sync_seconds, "sync", 8, percent(&Row::sync_seconds)},
      {"seconds", &Row::seconds, "time", 10, [](const Row& row) { return Duration(row.seconds); }},
      {"speedup", &Row::speedup, "speed-up", 9,
       [](const Row& row) { return fmt::format("{:.1f}", row.speedup); }},
      {"efficiency", &Row::efficiency, "efficiency", 11,
       [](const Row& row) { return fmt::format("{:.2f}", row.efficiency); }}};
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

PrintedColumns<PartitionReport::Rank> RankColumns() {
  using Rank = PartitionReport::Rank;
  return {{"domains", &Rank::domains},
          {"nodes", &Rank::nodes},
          {"gpus", &Rank::gpus},
          {"neighbours", &Rank::neighbours},
          {"cut_links", &Rank::cut_links},
          {"packet_hops_per_us", &Rank::packet_hops_per_us},
          {"messages_per_us", &Rank::messages_per_us}};
}

OrderedJson ChoiceJson(const ScalingForecast* row) {
  if (row == nullptr) return nullptr;
  return {{"ranks", row->ranks}, {"partition", row->partitioner}};
}

}  // namespace

std::string ScalingTable(const ScalingBasis& basis, const std::vector<ScalingForecast>& forecasts) {
  std::string text = Head(basis);
  const PrintedColumns<ScalingForecast> columns = ForecastColumns();
  text += PrintedHead(columns);
  for (const ScalingForecast& row : forecasts) text += PrintedLine(columns, row);
  return text + Advice(forecasts);
}

OrderedJson PartitionJson(OrderedJson forecast, OrderedJson report) {
  OrderedJson document = JsonDocument("partition", kPartitionSchema);
  document["forecast"] = std::move(forecast);
  document["report"] = std::move(report);
  return document;
}

OrderedJson ScalingJson(const ScalingBasis& basis, const std::vector<ScalingForecast>& forecasts) {
  const NetworkModel& network = basis.network;
  return {{"windows", basis.profile.windows},
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
          {"forecasts", PrintedList(ForecastColumns(), forecasts)},
          {"worth_it", ChoiceJson(WorthIt(forecasts, kWorthwhile))},
          {"fastest", ChoiceJson(Fastest(forecasts))}};
}

OrderedJson ReportJson(const PartitionReport& report) {
  const bool one = report.lookahead == Time::Max();
  return {{"links", report.links},
          {"cut_links", report.cut_links},
          {"domains", report.domains},
          {"largest_domain_nodes", report.largest_domain},
          {"lookahead_ps", NullUnless(!one, report.lookahead.ps)},
          {"messages_per_us", report.messages_per_us},
          {"load_imbalance", report.load_imbalance},
          {"efficiency", report.efficiency},
          {"ranks", PrintedList(RankColumns(), report.ranks)}};
}

}  // namespace heddle
