// SPDX-License-Identifier: GPL-2.0-only
/// `heddle trace`: a file of KV-cache transfers for `heddle run --trace`, by a pattern of arrival;
/// `heddle trace show` describes a schedule.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/run/arguments/input_files.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/views/traces/trace_arguments.h"
#include "core/app/views/traces/trace_show.h"
#include "core/patterns/traffic_patterns.h"
#include "io/input/trace_csv.h"
#include "topology/graph/graph.h"

namespace heddle {
namespace {

using Text = TraceArguments::Text;

[[noreturn]] void FailValue(const char* flag, const std::string& found,
                            const std::string& expected) {
  throw UserError(fmt::format("{}: found '{}'. Expected: {}", flag, Printable(found), expected));
}

template <class Number>
Number ReadNumber(const char* flag, const std::string& text, const char* expected) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) FailValue(flag, text, expected);
  return number;
}

/// Leaves `number` unchanged if the flag was not given. Its range is checked together with the
/// other parameters.
template <class Number>
void ReadIfGiven(const char* flag, const Text& text, Number* number) {
  if (text)
    *number =
        ReadNumber<Number>(flag, *text, std::is_integral_v<Number> ? "an integer" : "a number");
}

/// An integer in [1, most].
void ReadCount(const char* flag, const Text& text, std::int64_t most, std::int64_t* count) {
  ReadIfGiven(flag, text, count);
  if (*count < 1 || *count > most)
    FailValue(flag, *text, fmt::format("an integer from 1 to {}", most));
}

/// The numbers of GPUs, from the topology file if one is given.
void ReadFabric(const TraceArguments& given, TrafficOptions* options) {
  std::int64_t servers = options->servers();
  std::int64_t gpus_per_server = options->gpus_per_server;
  ReadCount("--servers", given.servers, kMaxNodes, &servers);
  ReadCount("--gpus-per-server", given.gpus_per_server, kMaxGpusPerServer, &gpus_per_server);
  if (!given.topology) {
    options->gpus_per_server = gpus_per_server;
    options->gpus = servers * gpus_per_server;
    return;
  }
  const Graph graph = ReadTopology(*given.topology);
  options->gpus_per_server = graph.gpus_per_server();
  options->gpus = graph.gpu_count();
  const auto expect = [&](const char* flag, const Text& text, std::int64_t found,
                          std::int64_t has) {
    if (text && found != has)
      throw UsageError(fmt::format("{} {}: {} has {}. Expected: -n without {}", flag, found,
                                   *given.topology, has, flag));
  };
  expect("--servers", given.servers, servers, options->servers());
  expect("--gpus-per-server", given.gpus_per_server, gpus_per_server, options->gpus_per_server);
}

void ReadSize(const TraceArguments& given, TrafficOptions* options) {
  const char* flag = given.kv_mb ? "--kv-mb" : "--kv-size";
  const Text& text = given.kv_mb ? given.kv_mb : given.kv_size;
  if (!text) return;
  const std::string expected =
      fmt::format("{} (1 byte to 1 TiB)", given.kv_mb ? "a number of MiB, such as 10"
                                                      : "a size with its unit, such as 512KiB");
  try {
    options->size = ParseBytes(given.kv_mb ? *text + "MiB" : *text);
  } catch (const UserError&) {
    FailValue(flag, *text, expected);
  }
  if (options->size.count < 1 || options->size.count > kMaxFlowBytes)
    FailValue(flag, *text, expected);
}

void ReadInterval(const TraceArguments& given, TrafficOptions* options) {
  ReadIfGiven("--interval-ns", given.interval, &options->interval_ns);
  ReadIfGiven("--burst-interval-ns", given.burst_interval, &options->interval_ns);
  if (!given.rate) return;
  constexpr const char* kRates = "flows a second, from 0.000001 to 1000000000";
  const auto rate = ReadNumber<double>("--rate", *given.rate, kRates);
  if (!(rate >= 1e-6 && rate <= 1e9)) FailValue("--rate", *given.rate, kRates);  // a NaN too
  const std::int64_t at_once = options->pattern == ArrivalPattern::kBurst ? options->burst_size : 1;
  options->interval_ns = static_cast<double>(at_once) * 1e9 / rate;
}

void ReadEnd(const TraceArguments& given, TrafficOptions* options) {
  if (given.flows) options->flows = ReadNumber<std::int64_t>("--flows", *given.flows, "an integer");
  if (!given.duration) return;
  try {
    options->duration = ParseTime(*given.duration);
  } catch (const UserError&) {
    FailValue("--duration", *given.duration,
              "a time with its unit, such as 10ms, at most 100 days");
  }
}

/// "0-3,8": servers in ascending order.
std::vector<std::int64_t> ReadServers(const char* flag, const std::string& text,
                                      std::int64_t servers) {
  const std::string expected = fmt::format("servers from 0 to {}, such as 0-3,8", servers - 1);
  std::vector<bool> listed(static_cast<std::size_t>(servers));
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string range = text.substr(begin, end - begin);
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first = ReadNumber<std::uint32_t>(flag, range.substr(0, dash), expected.c_str());
    const auto last = dash == range.size() ? first
                                           : ReadNumber<std::uint32_t>(flag, range.substr(dash + 1),
                                                                       expected.c_str());
    if (first > last || last >= servers) FailValue(flag, range, expected);
    std::fill(listed.begin() + first, listed.begin() + last + 1, true);
    begin = end + 1;
  }
  std::vector<std::int64_t> found;
  for (std::int64_t server = 0; server < servers; ++server) {
    if (listed[static_cast<std::size_t>(server)]) found.push_back(server);
  }
  return found;
}

/// The servers that are not in `servers`, which are in ascending order.
std::vector<std::int64_t> Others(const std::vector<std::int64_t>& servers, std::int64_t count) {
  std::vector<std::int64_t> others;
  for (std::int64_t server = 0; server < count; ++server) {
    if (!std::binary_search(servers.begin(), servers.end(), server)) others.push_back(server);
  }
  return others;
}

void ReadServersOfEnds(const TraceArguments& given, TrafficOptions* options) {
  auto& prefill = options->prefill_servers;
  auto& decode = options->decode_servers;
  if (given.prefill_servers)
    prefill = ReadServers("--prefill-servers", *given.prefill_servers, options->servers());
  if (given.decode_servers)
    decode = ReadServers("--decode-servers", *given.decode_servers, options->servers());
  if (given.prefill_servers && !given.decode_servers) decode = Others(prefill, options->servers());
  if (given.decode_servers && !given.prefill_servers) prefill = Others(decode, options->servers());
  if (!prefill.empty()) options->source_server = prefill.front();
  if (!decode.empty()) options->destination_server = decode.front();
  ReadIfGiven("--src-server", given.source_server, &options->source_server);
  ReadIfGiven("--dst-server", given.destination_server, &options->destination_server);
}

TrafficOptions MakeTrafficOptions(const TraceArguments& given, ArrivalPattern pattern) {
  TrafficOptions options;
  options.pattern = pattern;
  ReadFabric(given, &options);
  ReadSize(given, &options);
  ReadIfGiven("--burst-size", given.burst_size, &options.burst_size);
  ReadInterval(given, &options);
  ReadEnd(given, &options);
  ReadIfGiven("--hotspot-fraction", given.hotspot_fraction, &options.hotspot_fraction);
  ReadServersOfEnds(given, &options);
  ReadIfGiven("--rounds", given.rounds, &options.rounds);
  ReadIfGiven("--src-gpu", given.source_gpu, &options.source_gpu);
  ReadIfGiven("--dst-gpu", given.destination_gpu, &options.destination_gpu);
  if (given.seed)
    options.seed =
        ReadNumber<std::uint64_t>("--seed", *given.seed, "an integer from 0, below 2^64");
  return options;
}

/// The command that generates this trace again. It names the fabric by numbers, not by a file.
std::string Comment(const TraceArguments& given, const TrafficOptions& options) {
  std::string text = fmt::format(
      "heddle trace --arrival {} --servers {} --gpus-per-server {} --kv-size {}",
      ToText(options.pattern), options.servers(), options.gpus_per_server, options.size.count);
  for (const PatternFlag& flag : PatternFlags()) {
    if (Text value = given.*flag.value) {
      value->erase(std::remove(value->begin(), value->end(), ' '),
                   value->end());  // a value such as "10 ms" would be two words to a shell
      text += fmt::format(" {} {}", flag.name, *value);
    }
    if (flag.value == &TraceArguments::seed && flag.IsOf(options.pattern) && !given.seed) {
      text += fmt::format(" --seed {}", options.seed);
    }
  }
  if (options.gpus % options.gpus_per_server != 0) text += fmt::format(" ({} GPUs)", options.gpus);
  return text;
}

}  // namespace

int TraceCommand(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "show")
    return ShowTrace({arguments.begin() + 1, arguments.end()});
  TraceArguments given;
  if (!ParseTraceArguments(arguments, &given)) return 0;
  CheckOutputs({{"--out", given.output}}, {{"-n", given.topology.value_or("")}}, given.force);
  const ArrivalPattern pattern = ReadPattern(given.arrival);
  CheckTraceFlags(given, pattern);
  const TrafficOptions options = MakeTrafficOptions(given, pattern);
  WriteText(given.output, WriteTraceCsv(GenerateTraffic(options), Comment(given, options)));
  return 0;
}

}  // namespace heddle
