// SPDX-License-Identifier: GPL-2.0-only
#include "io/htsim/htsim_flows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/base/ids.h"
#include "core/options/token_reader.h"
#include "io/input/file_kind.h"
#include "io/input/flow_fields.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostNumber = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostCount = 4'000'000'000;

/// A count of the head, and how many lines there are of its kind.
struct Announced {
  const char* name;
  std::int64_t count = 0, line = 0;
  std::int64_t found = 0;
};

/// What the keys of a connection say.
struct Connection {
  std::optional<std::int64_t> id, size;
  std::optional<Time> start;
  std::optional<std::int64_t> trigger;
};

/// Reads the lines of one file.
class MatrixReader {
 public:
  MatrixReader(std::string_view text, const std::string& name, const Graph& graph,
               const std::string& unit, std::vector<std::string>* warnings)
      : lines_(text, name),
        graph_(graph),
        fields_(graph, lines_),
        unit_(unit),
        warnings_(warnings) {}

  std::vector<FlowRequest> Read() {
    std::string_view line;
    while (lines_.NextFilled(&line)) {
      if (line.front() != '#') ReadLine(line);
    }
    for (const Announced* count : {&connections_, &triggers_, &failures_}) CheckCount(*count);
    if (flows_.empty())
      FailInput(lines_.whole_file(), "no connection",
                "lines such as '0->1 id 1 start 0 size 4096'");
    WarnOfNodes();
    WarnOfStart();
    return std::move(flows_);
  }

 private:
  void ReadLine(std::string_view line) {
    const std::string_view word = TakeWord(&line);
    if (word.find("->") != std::string_view::npos) return ReadConnection(word, line);
    if (word == "trigger") {
      ++triggers_.found;
    } else if (word == "failure") {
      FailInput(lines_.where(), "a failure, which is not read from a connection matrix",
                "connections; --failures FILE lists failures");
    } else {
      ReadHead(word, line);
    }
  }

  void ReadHead(std::string_view word, std::string_view rest) {
    for (Announced* count : {&nodes_, &connections_, &triggers_, &failures_}) {
      if (word != count->name) continue;
      if (count->line > 0)
        FailInput(lines_.where(), fmt::format("{} again, first in line {}", word, count->line),
                  "one line with it");
      count->count = fields_.ReadNumber(Trim(rest), word, 0, kMostCount);
      count->line = lines_.number();
      return;
    }
    if (!flows_.empty())
      FailInput(lines_.where(), Quote(word), "a connection such as '0->1 id 1 start 0 size 4096'");
    warnings_->push_back(fmt::format("{}: {} is not known, the line is skipped",
                                     ToText(lines_.where()), Quote(word)));
  }

  void ReadConnection(std::string_view ends, std::string_view rest) {
    FlowRequest flow;
    const std::size_t arrow = ends.find("->");
    fields_.ReadEnds(ends.substr(0, arrow), ends.substr(arrow + 2), &flow.source,
                     &flow.destination);
    const Connection keys = ReadKeys(rest);
    if (keys.id) CheckId(*keys.id);
    if (keys.trigger)
      FailInput(lines_.where(),
                fmt::format("a connection that waits for trigger {}; triggers are not read yet",
                            *keys.trigger),
                "connections with a start");
    if (!keys.start) FailInput(lines_.where(), "no start", "start and a time");
    if (!keys.size) FailInput(lines_.where(), "no size", "size and a number of bytes");
    if (*keys.size == 0)
      FailInput(lines_.where(), "size 0, a connection without an end", "at least 1 byte");
    flow.size = Bytes{*keys.size};
    flow.start = *keys.start;
    flow.send_latency = false;
    flows_.push_back(flow);
    ++connections_.found;
  }

  Connection ReadKeys(std::string_view rest) {
    Connection keys;
    for (std::string_view key = TakeWord(&rest); !key.empty(); key = TakeWord(&rest)) {
      if (key == "addon") continue;
      if (key == "msg") {  // its number may be missing
        if (!rest.empty() && ReadNumber<std::int64_t>(Trim(rest.substr(0, rest.find(' ', 1)))))
          TakeWord(&rest);
        continue;
      }
      ReadKey(key, TakeWord(&rest), &keys);
    }
    return keys;
  }

  void ReadKey(std::string_view key, std::string_view value, Connection* keys) {
    if (key == "start") {
      keys->start = fields_.ReadTime(value, unit_);
    } else if (key == "size") {
      keys->size = fields_.ReadNumber(value, key, 0, kMostNumber);
    } else if (key == "id") {
      keys->id = fields_.ReadNumber(value, key, 1, kMostNumber);
    } else if (key == "trigger") {
      keys->trigger = fields_.ReadNumber(value, key, 0, kMostNumber);
    } else if (key == "prio" || key == "send_done_trigger" || key == "recv_done_trigger") {
      fields_.ReadNumber(value, key, 0, kMostNumber);
    } else {
      FailInput(lines_.where(), Quote(key),
                "id, start, size, trigger, send_done_trigger, recv_done_trigger, prio, msg or "
                "addon");
    }
  }

  void CheckId(std::int64_t id) {
    const auto [first, is_new] = lines_of_ids_.emplace(id, lines_.number());
    if (!is_new)
      FailInput(lines_.where(),
                fmt::format("id {} again, first in line {}: messages of one connection", id,
                            first->second),
                "an id of its own for each line");
  }

  void CheckCount(const Announced& count) const {
    if (count.count == count.found) return;
    FailInput(count.line > 0 ? SourceLine{lines_.where().file, count.line} : lines_.whole_file(),
              fmt::format("{} {}, and {} such line{}", count.name, count.count, count.found,
                          count.found == 1 ? "" : "s"),
              fmt::format("{} {}", count.name, count.found));
  }

  void WarnOfNodes() {
    if (nodes_.line == 0 || nodes_.count == graph_.gpu_count()) return;
    warnings_->push_back(fmt::format("{}:{}: Nodes {}, and the topology has {} GPUs",
                                     lines_.where().file, nodes_.line, nodes_.count,
                                     graph_.gpu_count()));
  }

  /// The programs take the same numbers for other units.
  void WarnOfStart() {
    const auto last = std::max_element(
        flows_.begin(), flows_.end(),
        [](const FlowRequest& a, const FlowRequest& b) { return a.start < b.start; });
    if (last->start <= MicroSeconds(1'000'000)) return;
    warnings_->push_back(fmt::format(
        "{}: connections start as late as {}; starts are taken for {} (--start-unit {} if they "
        "are not)",
        lines_.where().file, ToText(last->start), unit_, unit_ == "us" ? "ps" : "us"));
  }

  LineReader lines_;
  const Graph& graph_;
  FlowFields fields_;
  const std::string unit_;
  std::vector<std::string>* warnings_;
  Announced nodes_{"Nodes"}, connections_{"Connections"}, triggers_{"Triggers"},
      failures_{"Failures"};
  std::map<std::int64_t, std::int64_t> lines_of_ids_;
  std::vector<FlowRequest> flows_;
};

}  // namespace

std::vector<FlowRequest> ParseHtsimFlows(std::string_view text, const std::string& name,
                                         const Graph& graph, const std::string& unit,
                                         std::vector<std::string>* warnings) {
  return MatrixReader(text, name, graph, unit, warnings).Read();
}

std::vector<FlowRequest> ReadHtsimFlows(const std::string& path, const Graph& graph,
                                        const std::string& unit,
                                        std::vector<std::string>* warnings) {
  return ReadAs(FileKind::kHtsimFlows, path,
                [&] { return ParseHtsimFlows(ReadTextFile(path), path, graph, unit, warnings); });
}

}  // namespace heddle
