// SPDX-License-Identifier: GPL-2.0-only
#include "tests/invariance/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/options/options.h"

namespace heddle::invariance {

std::vector<CaseMaker> AllCases() {
  std::vector<CaseMaker> cases;
  AddFabricCases(&cases);
  AddCongestionCases(&cases);
  AddLossCases(&cases);
  AddFailureCases(&cases);
  AddHostCases(&cases);
  AddReplayCases(&cases);
  AddMonitorCases(&cases);
  AddCollectiveCases(&cases);
  AddPlanCases(&cases);
  AddControllerCases(&cases);
  AddBalanceCases(&cases);
  AddEntropyCases(&cases);
  AddUecCases(&cases);
  AddCastCases(&cases);
  AddScaleUpCases(&cases);
  AddTrainingLoopCases(&cases);
  AddChakraCases(&cases);
  AddServingCases(&cases);
  AddGoalCases(&cases);
  return cases;
}

TransportOptions Set(const Settings& settings) {
  TransportOptions options;
  OptionSet keys;
  options.Declare(&keys);
  for (const auto& [key, value] : settings) keys.Set(key, value, {"invariance case", 0});
  return options;
}

Settings Tight() {
  return {{"KMIN_MAP", "3 100Gbps 20 200Gbps 20 400Gbps 20"},
          {"KMAX_MAP", "3 100Gbps 100 200Gbps 100 400Gbps 100"},
          // The shift applies to the 31 MB of a small switch's pool.
          {"PMAX_MAP", "3 100Gbps 0.5 200Gbps 0.5 400Gbps 0.5"},
          {"switch.alpha_shift", "10"}};
}

Settings Impatient() {
  return {{"reliability.timeout", "60us"}, {"reliability.nack_interval", "5us"}};
}

Settings Monitored(bool on_change) {
  return {{"monitor.kinds", "all"},
          {"monitor.on_change", on_change ? "true" : "false"},
          {"monitor.queue_interval", "1us"},
          {"monitor.link_interval", "3us"},
          {"monitor.pair_interval", "2us"}};
}

Settings operator+(Settings first, const Settings& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

namespace proofs {
namespace {

/// Lengths of the pauses that ended.
std::vector<Time> PauseLengths(const Results& results) {
  const Table& pfc = results.table("pfc");
  const auto& time = GetColumn<std::int64_t>(pfc, "time_ps");
  const auto& node = GetColumn<std::uint32_t>(pfc, "node");
  const auto& port = GetColumn<std::uint32_t>(pfc, "port");
  const auto& priority = GetColumn<std::uint8_t>(pfc, "priority");
  const auto& pause = GetColumn<std::uint8_t>(pfc, "pause");
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>, std::int64_t> since;
  std::vector<Time> lengths;
  for (std::size_t row = 0; row < time.size(); ++row) {
    std::int64_t& began = since[{node[row], port[row], priority[row]}];
    if (pause[row] == 0) lengths.push_back(Time{time[row] - began});
    began = time[row];
  }
  return lengths;
}

template <class Wanted>
std::int64_t CountPauses(const Results& results, Wanted wanted) {
  const std::vector<Time> lengths = PauseLengths(results);
  return std::count_if(lengths.begin(), lengths.end(), wanted);
}

}  // namespace

Proof Marks() {
  return {"marks", [](const Results& r) { return r.books.marked; }};
}
Proof Pauses() {
  return {"pauses", [](const Results& r) { return r.books.pauses; }};
}
Proof Nacks() {
  return {"NACKs", [](const Results& r) { return r.books.nacks; }};
}
Proof Timeouts() {
  return {"timeouts", [](const Results& r) { return r.books.timeouts; }};
}
Proof Resent() {
  return {"bytes resent", [](const Results& r) { return r.books.resent_bytes; }};
}
Proof Trims() {
  return {"packets trimmed", [](const Results& r) { return r.books.trimmed_packets; }};
}
Proof Reordering() {
  return {"packets held above a missing one", [](const Results& r) { return r.books.most_held; }};
}
Proof Duplicates() {
  return {"duplicates", [](const Results& r) { return r.books.duplicates; }};
}

Proof RateChanges() {
  return {"rate changes", [](const Results& r) {
            return static_cast<std::int64_t>(RowCount(r.table("monitors/rates"))) -
                   r.books.flows_started;
          }};
}

Proof Drops(DropReason reason) {
  return {std::string("dropped, ") + ToText(reason), [reason](const Results& r) {
            const auto& reasons = GetColumn<std::string>(r.table("drops"), "reason");
            const auto& packets = GetColumn<std::int64_t>(r.table("drops"), "packets");
            std::int64_t sum = 0;
            for (std::size_t row = 0; row < reasons.size(); ++row)
              sum += reasons[row] == ToText(reason) ? packets[row] : 0;
            return sum;
          }};
}

Proof Flows(FlowState state) {
  return {fmt::format("flows in state {}", static_cast<int>(state)), [state](const Results& r) {
            const auto& states = GetColumn<std::uint8_t>(r.table("flows"), "state");
            return static_cast<std::int64_t>(
                std::count(states.begin(), states.end(), static_cast<std::uint8_t>(state)));
          }};
}

Proof Rows(const std::string& monitor) {
  return {"rows of " + monitor, [monitor](const Results& r) {
            return static_cast<std::int64_t>(RowCount(r.table(monitor)));
          }};
}

Proof ExpiredPauses(Time pause_time) {
  return {"expired pauses", [pause_time](const Results& r) {
            return CountPauses(r, [&](Time length) {
              return length >= pause_time && length.ps % (pause_time.ps / 2) == 0;
            });
          }};
}

Proof RenewedPauses(Time pause_time) {
  return {"renewed pauses", [pause_time](const Results& r) {
            return CountPauses(r, [&](Time length) { return length > pause_time; });
          }};
}

}  // namespace proofs
}  // namespace heddle::invariance
