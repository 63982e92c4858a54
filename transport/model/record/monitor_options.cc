// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/record/monitor_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>

#include "core/options/options.h"

namespace heddle {
namespace {

struct Kind {
  const char* name;
  bool MonitorOptions::*field;
};
constexpr Kind kKinds[] = {{"queues", &MonitorOptions::queues}, {"links", &MonitorOptions::links},
                           {"rates", &MonitorOptions::rates},   {"cnps", &MonitorOptions::cnps},
                           {"pfc", &MonitorOptions::pfc},       {"cast", &MonitorOptions::cast}};
constexpr Kind kSynonym = {"queue_pairs", &MonitorOptions::cast};

void SetKinds(std::string_view text, MonitorOptions* options) {
  MonitorOptions chosen;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (word == "none") continue;
    bool known = word == "all" || word == kSynonym.name;
    if (word == "all") chosen.all = true;
    if (word == kSynonym.name) chosen.*kSynonym.field = true;
    for (const Kind& kind : kKinds) {
      if (word != "all" && word != kind.name) continue;
      chosen.*kind.field = true;
      known = true;
    }
    if (!known)
      throw UserError(
          "expected none, all, or some of queues, links, rates, cnps, pfc, cast, with commas "
          "between them");
  }
  for (const Kind& kind : kKinds) options->*kind.field = chosen.*kind.field;
  options->all = chosen.all;
}

std::string KindsText(const MonitorOptions& options) {
  std::string text;
  for (const Kind& kind : kKinds) {
    if (options.*kind.field) text += (text.empty() ? "" : ",") + std::string(kind.name);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

void MonitorOptions::Declare(OptionSet* options) {
  options->AddGroup({"monitor", "what is sampled over time", "docs/models/monitors.md"});
  Option kinds;
  kinds.key = "monitor.kinds";
  kinds.help =
      "what is sampled: queue lengths, link throughput, rates of queue pairs, their CNPs, pause "
      "and resume frames, weights of CAST (cast, also called queue_pairs)";
  kinds.range = "none, all, or some of queues, links, rates, cnps, pfc, cast";
  kinds.choices = {"none", "all"};
  for (const Kind& kind : kKinds) kinds.choices.emplace_back(kind.name);
  kinds.choices.emplace_back(kSynonym.name);
  kinds.source = "SimAI writes pause frames only";
  kinds.set = [this](std::string_view text) { SetKinds(text, this); };
  kinds.get = [this] { return KindsText(*this); };
  options->Add(kinds);
  options->Add(
      {"monitor.on_change", "",
       "a sample of queues, rates and CNPs at every change instead of at intervals", "", "heddle"},
      &on_change);
  const Time longest = MicroSeconds(100000000);
  options->Add({"monitor.start", "MON_START", "no sample before this", "us", "SimAI.conf"}, &start,
               Time{0}, longest, "us");
  const auto add_interval = [&](const char* key, const char* simai_key, const char* help,
                                Time* value) {
    options->AddTimeOrAuto({key, simai_key, help, "us", "heddle; SimAI.conf: 10 ms and 100 us"},
                           value, NanoSeconds(1), longest, "us");
  };
  add_interval("monitor.pair_interval", "QP_MON_INTERVAL", "between two samples of rates and CNPs",
               &pair_interval);
  add_interval("monitor.queue_interval", "QLEN_MON_INTERVAL",
               "between two samples of queue lengths", &queue_interval);
  add_interval("monitor.link_interval", "BW_MON_INTERVAL", "between two samples of link throughput",
               &link_interval);
}

}  // namespace heddle
