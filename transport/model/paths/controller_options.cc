// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/paths/controller_options.h"

#include "core/options/options.h"

namespace heddle {

void ControllerOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"controller", "central controller that chooses source ports", "docs/models/controller.md"});
  options->Add(
      {"controller.enable",
       "CC_ENABLE",
       "a central controller chooses the source ports of flows, so that their paths share no link",
       "",
       "heddle; in the ECMP controller's specification it is on unless CC_ENABLE=0",
       {"CC_ENABLE"}},
      &enabled);
  options->Add(
      {"controller.latency", "",
       "latency of the control network between a host and the controller, one way; a flow starts "
       "later only if the way "
       "there and back takes longer than its software latency (those of --flows have none)",
       "us", "heddle; the ECMP controller's specification has none"},
      &latency, NanoSeconds(100), MicroSeconds(10'000'000), "us");
  options->Add(
      {"controller.service", "", "time that the controller works on a request, one after the other",
       "us", "heddle; the ECMP controller's specification has none"},
      &service, Time{0}, MicroSeconds(1'000'000), "us");
  Option limit;
  limit.key = "controller.share";
  limit.help =
      "what may be reserved of a link: so many flows, so many bits a second of their NICs, or as "
      "much as the link carries; "
      "beyond one flow, flows of one pair of GPUs may get the same source port";
  limit.range = "1..1000000 flows, a rate such as 400Gbps, or line";
  limit.source = "the ECMP controller's specification: one flow";
  limit.set = [this](std::string_view text) { share = ParseShareLimit(text); };
  limit.get = [this] { return ToText(share); };
  limit.default_text = limit.get();
  options->Add(std::move(limit));
  options->Add({"controller.fallback", "",
                "where no path is free: ecmp, the host's own source port; least-loaded, the path "
                "whose fullest link is the least "
                "full",
                "", "the ECMP controller's specification: ecmp"},
               &fallback);
  Option path_log;
  path_log.key = "controller.log";
  path_log.simai_key = "CC_LOG_FILE";
  path_log.variables = {"CC_LOG_FILE"};
  path_log.help = "file that gets the controller's choices as CSV; empty: none";
  path_log.range = "a path";
  path_log.source = "the ECMP controller's specification, section 5.4";
  path_log.set = [this](std::string_view text) { log = text; };
  path_log.get = [this] { return log; };
  options->Add(std::move(path_log));
}

}  // namespace heddle
