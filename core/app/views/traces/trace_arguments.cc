// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/traces/trace_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/app/base/cli/parse_arguments.h"
#include "core/options/nearest_name.h"

namespace heddle {
namespace {

/// "--rate, --flows": the flags of a pattern.
std::string FlagsOf(ArrivalPattern pattern) {
  std::vector<std::string> names;
  for (const PatternFlag& flag : PatternFlags()) {
    if (flag.IsOf(pattern)) names.emplace_back(flag.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What follows the flag, for help.
std::string TypeOf(const PatternFlag& flag) {
  if (flag.value == &TraceArguments::duration) return "TIME";
  const bool list = flag.value == &TraceArguments::prefill_servers ||
                    flag.value == &TraceArguments::decode_servers;
  return list ? "SERVERS" : "NUMBER";
}

std::string PatternHelp() {
  std::string text = "Patterns, and which of the flags above each takes:\n";
  for (const ArrivalPattern pattern : AllArrivalPatterns())
    text += fmt::format("  {:<11} {}\n", ToText(pattern), FlagsOf(pattern));
  return text;
}

void CheckExclusive(const char* first, const TraceArguments::Text& a, const char* second,
                    const TraceArguments::Text& b) {
  if (a && b)
    throw UsageError(fmt::format("found both {} and {}. Expected: one of them", first, second));
}

/// Fails if a flag without a default is missing.
void CheckMissing(const TraceArguments& given, ArrivalPattern pattern) {
  const auto require = [&](bool is_given, const char* what, const char* flags) {
    if (!is_given) {
      throw UsageError(
          fmt::format("--arrival {} without {}. Expected: {}", ToText(pattern), what, flags));
    }
  };
  if (pattern == ArrivalPattern::kServerPair) return;
  if (pattern == ArrivalPattern::kOneToOne) {
    require(given.source_gpu && given.destination_gpu, "its GPUs", "--src-gpu and --dst-gpu");
  } else if (pattern == ArrivalPattern::kBurst) {
    require(given.burst_size.has_value(), "the size of a burst", "--burst-size");
    require(given.rate || given.burst_interval, "an interval", "--burst-interval-ns or --rate");
  } else {
    require(given.rate || given.interval, "an interval", "--rate or --interval-ns");
  }
  if (pattern == ArrivalPattern::kHotspot) {
    require(given.hotspot_fraction.has_value(), "the share of the pair", "--hotspot-fraction");
  }
  require(given.flows || given.duration, "an end", "--flows or --duration");
}

}  // namespace

bool PatternFlag::IsOf(ArrivalPattern pattern) const {
  return std::find(patterns.begin(), patterns.end(), pattern) != patterns.end();
}

const std::vector<PatternFlag>& PatternFlags() {
  using A = TraceArguments;
  const std::vector<ArrivalPattern> drawn = {ArrivalPattern::kConstant, ArrivalPattern::kPoisson,
                                             ArrivalPattern::kBurst, ArrivalPattern::kHotspot};
  const std::vector<ArrivalPattern> burst = {ArrivalPattern::kBurst},
                                    hotspot = {ArrivalPattern::kHotspot},
                                    pair = {ArrivalPattern::kServerPair},
                                    one = {ArrivalPattern::kOneToOne};
  static const std::vector<PatternFlag> flags = {
      {"--rate", &A::rate, drawn, "flows a second, all GPUs together"},
      {"--interval-ns",
       &A::interval,
       {ArrivalPattern::kConstant, ArrivalPattern::kPoisson, ArrivalPattern::kHotspot,
        ArrivalPattern::kServerPair, ArrivalPattern::kOneToOne},
       "from flow to flow (poisson, hotspot: the mean) in place of --rate; from round to round "
       "(default: 100000)"},
      {"--burst-size", &A::burst_size, burst, "flows that start together"},
      {"--burst-interval-ns", &A::burst_interval, burst, "from burst to burst, in place of --rate"},
      {"--hotspot-fraction", &A::hotspot_fraction, hotspot,
       "share of the flows from --src-server to --dst-server, 0 to 1"},
      {"--src-server",
       &A::source_server,
       {ArrivalPattern::kHotspot, ArrivalPattern::kServerPair},
       "default: 0, or the first of --prefill-servers"},
      {"--dst-server",
       &A::destination_server,
       {ArrivalPattern::kHotspot, ArrivalPattern::kServerPair},
       "default: 1, or the first of --decode-servers"},
      {"--rounds", &A::rounds, pair, "flows of each GPU (default: 1)"},
      {"--src-gpu", &A::source_gpu, one, "GPU that sends"},
      {"--dst-gpu", &A::destination_gpu, one, "GPU that receives"},
      {"--flows",
       &A::flows,
       {ArrivalPattern::kConstant, ArrivalPattern::kPoisson, ArrivalPattern::kBurst,
        ArrivalPattern::kHotspot, ArrivalPattern::kOneToOne},
       "so many in all"},
      {"--duration",
       &A::duration,
       {ArrivalPattern::kConstant, ArrivalPattern::kPoisson, ArrivalPattern::kBurst,
        ArrivalPattern::kHotspot, ArrivalPattern::kOneToOne},
       "those that start before this time, such as 10ms; in place of --flows"},
      {"--prefill-servers", &A::prefill_servers, drawn,
       "servers that send, such as 0-3,8 (default: all, or all but --decode-servers)"},
      {"--decode-servers", &A::decode_servers, drawn,
       "servers that receive (default: all, or all but --prefill-servers)"},
      {"--seed", &A::seed, drawn, "of the random numbers (default: 1)"},
  };
  return flags;
}

bool ParseTraceArguments(const std::vector<std::string>& arguments, TraceArguments* given) {
  CLI::App app(
      "Generate a trace of KV-cache transfers for heddle run --trace; heddle trace show FILE "
      "describes a schedule in GOAL or a trace of Chakra.",
      "trace");
  app.add_option("--arrival", given->arrival, "pattern of arrival")
      ->required()
      ->type_name("constant|poisson|burst|hotspot|server_pair|one_to_one");
  app.add_option("-o,--out,--output", given->output,
                 "file for the trace; without or \"-\": standard output")
      ->type_name("FILE");
  app.add_flag("--force", given->force, "replace an existing file");
  app.add_option("-n,--topology", given->topology,
                 "file that says how many GPUs there are, and how many a server")
      ->type_name("FILE");
  app.add_option("--servers", given->servers, "without -n (default: 16)")->type_name("NUMBER");
  app.add_option("--gpus-per-server", given->gpus_per_server, "without -n (default: 8)")
      ->type_name("NUMBER");
  app.add_option("--kv-mb", given->kv_mb, "size of each transfer in MiB (default: 10)")
      ->type_name("NUMBER");
  app.add_option("--kv-size", given->kv_size, "the same with its unit, such as 512KiB")
      ->type_name("SIZE");
  for (const PatternFlag& flag : PatternFlags())
    app.add_option(flag.name, given->*flag.value, flag.help)->type_name(TypeOf(flag));
  app.footer(
      PatternHelp() + "\n" +
      Examples({"heddle trace --arrival server_pair --src-server 0 --dst-server 1 --out flows.csv",
                "heddle trace --arrival poisson --rate 20000 --duration 1ms -n fabric.txt --out "
                "kv.csv"}));
  return ParseArguments(&app, arguments);
}

ArrivalPattern ReadPattern(const std::string& text) {
  std::vector<std::string> names;
  for (const ArrivalPattern pattern : AllArrivalPatterns()) {
    names.push_back(ToText(pattern));
    if (names.back() == text) return pattern;
  }
  throw UserError(fmt::format("--arrival: unknown pattern '{}'.{} Expected: {}", Printable(text),
                              DidYouMean(text, names), fmt::join(names, ", ")));
}

void CheckTraceFlags(const TraceArguments& given, ArrivalPattern pattern) {
  for (const PatternFlag& flag : PatternFlags()) {
    if (!(given.*flag.value) || flag.IsOf(pattern)) continue;
    throw UsageError(fmt::format("{}: --arrival {} does not use it. Expected: {}", flag.name,
                                 ToText(pattern), FlagsOf(pattern)));
  }
  CheckExclusive("--rate", given.rate, "--interval-ns", given.interval);
  CheckExclusive("--rate", given.rate, "--burst-interval-ns", given.burst_interval);
  CheckExclusive("--flows", given.flows, "--duration", given.duration);
  CheckExclusive("--kv-mb", given.kv_mb, "--kv-size", given.kv_size);
  CheckMissing(given, pattern);
}

}  // namespace heddle
