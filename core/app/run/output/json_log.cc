// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/json_log.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/app/base/cli/build_info.h"
#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/serving/serving_messages.h"
#include "core/system/new_file.h"
#include "io/result/output_path.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kProgressInterval = 1.0;  // s; on a terminal cuts may be more frequent

/// ISO 8601, UTC, with milliseconds.
std::string TimeStamp() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  return fmt::format("{}.{:03}Z", text, since_epoch % 1000);
}

Json MakeEvent(const char* name) { return {{"event", name}, {"time", TimeStamp()}}; }

/// Opens an existing log at its end, after the line that a killed run may have left incomplete.
/// Null, with errno, if the log cannot be opened.
std::FILE* OpenAtEnd(const std::string& path) {
  std::FILE* stream =
      StreamOf(open(path.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC), "a+b");
  if (stream != nullptr && std::fseek(stream, -1, SEEK_END) == 0) {  // fails if the file is empty
    const int last = std::fgetc(stream);
    std::fseek(stream, 0, SEEK_END);  // required between reading and writing
    if (last != '\n') std::fputc('\n', stream);
  }
  return stream;
}

/// Payload of all messages of a schedule.
std::int64_t BytesOfSends(const GoalSchedule& schedule) {
  std::int64_t bytes = 0;
  for (std::uint32_t rank = 0; rank < schedule.rank_count(); ++rank) {
    for (const GoalOperation& operation : schedule.Rank(rank).operations)
      bytes += operation.is_send() ? operation.amount : 0;
  }
  return bytes;
}

/// Payload of all messages of served requests, but those that ask for shares.
std::int64_t BytesOfRequests(const ServingInput& serving) {
  std::int64_t bytes = 0;
  ForEachServingMessage(serving.plan, serving.requests,
                        [&](NodeId, NodeId, std::int64_t size, std::uint64_t count) {
                          bytes += size * static_cast<std::int64_t>(count);
                        });
  return bytes;
}

Json TrafficOf(const JsonStart& start) {
  const RunArguments& run = *start.arguments;
  Json traffic;
  for (const TrafficSource& source : TrafficSources()) {
    const std::vector<std::string> given = source.Given(run);
    if (given.empty()) continue;
    if (source.jobs != nullptr) {
      traffic[source.log_key] = given;
    } else {
      traffic[source.log_key] = given[0];
    }
  }
  traffic["planned_flows"] = start.planned_flows;
  if (start.input->jobs.empty()) {
    std::int64_t bytes = 0;
    for (const FlowRequest& flow : start.input->flows) bytes += flow.size.count;
    for (const GoalJob& job : start.input->schedules) bytes += BytesOfSends(job.schedule);
    if (start.input->serving != nullptr) bytes = BytesOfRequests(*start.input->serving);
    traffic["bytes"] = bytes;
  }
  return traffic;
}

Json EstimateOf(const RunEstimate& estimate) {
  Json memory = Json::array();
  for (const MemoryEstimate& rank : estimate.memory)
    memory.push_back(static_cast<double>(rank.peak()) / (1 << 20));
  return {{"flows", static_cast<std::int64_t>(estimate.flows)},
          {"packet_hops", static_cast<std::int64_t>(estimate.packet_hops)},
          {"events", static_cast<std::int64_t>(estimate.events)},
          {"run_seconds", estimate.seconds},
          {"result_bytes", static_cast<std::int64_t>(estimate.result.result)},
          {"memory_mib_by_rank", memory}};
}

}  // namespace

JsonLog::JsonLog() = default;
JsonLog::~JsonLog() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}
JsonLog::JsonLog(JsonLog&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, nullptr)),
      ended_(other.ended_),
      next_progress_(other.next_progress_),
      figures_(std::move(other.figures_)) {}
JsonLog& JsonLog::operator=(JsonLog&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(ended_, other.ended_);
  std::swap(next_progress_, other.next_progress_);
  std::swap(figures_, other.figures_);
  return *this;
}

JsonLog::JsonLog(const std::string& path, bool force, bool append)
    : path_(IsStandardOutput(path) ? "standard output" : path) {
  if (path.empty()) return;
  if (IsStandardOutput(path)) {
    file_ = stdout;
    return;
  }
  std::error_code ignored;
  const bool in_place = IsWrittenInPlace(path);
  const bool goes_on = append && !in_place && std::filesystem::exists(path, ignored);
  if (!in_place) CheckOutputPath(path, force || goes_on);
  file_ = in_place  ? std::fopen(path.c_str(), "wb")
          : goes_on ? OpenAtEnd(path)
                    : MakeNewStream(path);
  if (file_ == nullptr)
    throw FileError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
}

void JsonLog::Write(const nlohmann::ordered_json& event) {
  if (file_ == nullptr || ended_) return;
  // File names need not be UTF-8: replaces invalid bytes, so that such a name does not stop the
  // log.
  const std::string line = event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), file_) != line.size() || std::fflush(file_) != 0) {
    const std::string reason = std::strerror(errno);
    ended_ = true;
    throw FileError(fmt::format("{}: the log cannot be written: {}", path_, reason));
  }
}

void JsonLog::Start(const JsonStart& start) {
  if (!on()) return;
  const RunArguments& run = *start.arguments;
  const RunInput& input = *start.input;
  const BuildInfo build = GetBuildInfo();
  Json event = MakeEvent("start");
  event["format"] = kJsonLogFormat;
  event["version"] = VersionText();
  event["mpi"] = build.mpi;
  event["hdf5"] = build.hdf5;
  event["arguments"] = run.words;
  event["topology"] = {{"file", run.topology},
                       {"gpus", input.graph->gpu_count()},
                       {"nvswitches", input.graph->nvswitch_count()},
                       {"switches", input.graph->switch_count()},
                       {"links", input.graph->links().size()}};
  event["traffic"] = TrafficOf(start);
  event["engine"] = run.engine;
  event["ranks"] = start.ranks;
  event["domains"] = input.domains.nodes.size();
  event["partition"] = run.partitioner;
  if (start.lookahead == Time::Max()) {
    event["lookahead_ps"] = nullptr;
  } else {
    event["lookahead_ps"] = start.lookahead.ps;
  }
  event["seed"] = run.seed;
  if (start.estimate != nullptr) event["estimate"] = EstimateOf(*start.estimate);
  Json options = Json::object();
  for (const Option& option : input.options.options()) {
    if (option.get() != option.default_text || option.set_by_user)
      options[option.key] = option.get();
  }
  event["options"] = options;
  event["environment"] = input.environment;
  event["failures"] = input.failures.size();
  Write(event);
}

void JsonLog::Warning(const std::string& message) {
  if (!on()) return;
  Json event = MakeEvent("warning");
  event["message"] = message;
  Write(event);
}

void JsonLog::Progress(const ProgressFigures& figures) {
  const ProgressState& state = figures.state;
  if (!on() || state.wall_seconds < next_progress_) return;
  next_progress_ = state.wall_seconds + 0.99 * kProgressInterval;
  Json event = MakeEvent("progress");
  event["wall_seconds"] = state.wall_seconds;
  event["time_ps"] = state.now.ps;
  event["share"] = figures.share;
  event["flows_finished"] = state.flows_finished;
  event["flows"] = state.flows;
  event["packet_hops"] = state.packet_hops;
  event["events"] = state.events;
  event["messages"] = state.messages;
  event["events_per_second"] = figures.events_per_second;
  event["packet_hops_per_second"] = figures.hops_per_second;
  event["blocked_share"] = figures.blocked_share;
  event["memory_mib"] = state.memory_mib;
  if (figures.left_seconds) {
    event["left_seconds"] = *figures.left_seconds;
  } else {
    event["left_seconds"] = nullptr;
  }
  Write(event);
}

void JsonLog::Figures(const RunFigures& figures, const std::string& result,
                      const EstimateError& error) {
  if (!on()) return;
  const DomainBooks& books = figures.books;
  figures_ =
      std::make_unique<Json>(Json{{"time_ps", figures.end.ps},
                                  {"flows_digest", fmt::format("{:016x}", figures.flows_digest)},
                                  {"flows", figures.flows},
                                  {"flows_started", books.flows_started},
                                  {"flows_finished", books.flows_finished},
                                  {"packet_hops", books.link_packets},
                                  {"events", figures.events},
                                  {"dropped_packets", books.dropped_packets},
                                  {"dropped_bytes", books.dropped_bytes},
                                  {"ecn_marked_packets", books.marked},
                                  {"pfc_pauses", books.pauses},
                                  {"nacks", books.nacks},
                                  {"timeouts", books.timeouts},
                                  {"resent_bytes", books.resent_bytes},
                                  {"out_of_order_packets", books.out_of_order},
                                  {"reorder_most_held", books.most_held},
                                  {"reorder_furthest_ahead", books.furthest_ahead},
                                  {"setup_seconds", figures.setup_seconds},
                                  {"run_seconds", figures.run_seconds},
                                  {"blocked_share_by_rank", figures.blocked_share},
                                  {"memory_mib_by_rank", figures.memory_mib}});
  (*figures_)["estimate_error"] = {{"packet_hops", error.packet_hops},
                                   {"events", error.events},
                                   {"memory", error.memory},
                                   {"seconds", error.seconds}};
  (*figures_)["result"] = result.empty() ? Json(nullptr) : Json(result);
}

void JsonLog::Error(ExitCode code, const std::string& message) {
  if (!on()) return;
  Json event = MakeEvent("error");
  event["exit_code"] = static_cast<int>(code);
  event["message"] = message;
  Write(event);
}

void JsonLog::End(ExitCode code) {
  if (!on()) return;
  Json event = MakeEvent("end");
  event["exit_code"] = static_cast<int>(code);
  if (figures_) event.update(*figures_);
  Write(event);
  ended_ = true;
  if (file_ == stdout) return;
  if (std::fclose(std::exchange(file_, nullptr)) != 0) {
    throw FileError(fmt::format("{}: the log cannot be written: {}", path_, std::strerror(errno)));
  }
}

JsonLog OpenJsonLog(const RunArguments& run) {
  if (run.json_log.empty() || IsStandardOutput(run.json_log))
    return JsonLog(run.json_log, run.force, /*append=*/false);
  return JsonLog(run.json_log, run.force, /*append=*/!run.checkpoint.restart.empty());
}

}  // namespace heddle
