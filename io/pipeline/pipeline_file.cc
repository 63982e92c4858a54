// SPDX-License-Identifier: GPL-2.0-only
#include "io/pipeline/pipeline_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/pipeline/pipeline_proof.h"
#include "core/base/check.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostStages = 100'000;
constexpr std::uint32_t kMostMicroBatches = 1'000'000;
constexpr std::uint32_t kMostTableChunks = 1024;
constexpr char kTogether = '+';

constexpr std::pair<const char*, ChunkPlacement> kPlacementWords[] = {
    {"loop", ChunkPlacement::kLoop},
    {"v", ChunkPlacement::kV},
    {"both-ends", ChunkPlacement::kBothEnds}};
constexpr std::pair<char, PipelineWork> kWorkLetters[] = {{'F', PipelineWork::kForward},
                                                          {'B', PipelineWork::kBackward},
                                                          {'I', PipelineWork::kInputGradient},
                                                          {'W', PipelineWork::kWeightGradient}};

class PipelineReader {
 public:
  PipelineReader(std::string_view text, const std::string& file) : lines_(text, file) {
    table_.name = file;
  }

  PipelineTable Read() {
    std::string_view line;
    while (lines_.NextFilled(&line)) {
      line = WithoutComment(line);
      if (!line.empty()) ReadLine(line);
    }
    CheckWhole();
    ProveTable(table_);
    return std::move(table_);
  }

 private:
  void ReadLine(std::string_view line) {
    const std::string_view key = TakeWord(&line);
    line = Trim(line);
    if (key == "stages") {
      ReadCount(key, line, kMostStages, &stages_);
    } else if (key == "micro_batches") {
      ReadCount(key, line, kMostMicroBatches, &micro_batches_);
    } else if (key == "chunks") {
      ReadCount(key, line, kMostTableChunks, &chunks_);
    } else if (key == "placement") {
      ReadPlacement(line);
    } else if (key == "stage") {
      ReadStage(line);
    } else {
      const std::vector<std::string> known = {"stages", "micro_batches", "chunks", "placement",
                                              "stage"};
      Fail(fmt::format("'{}'", Printable(key)),
           fmt::format("{}{}", fmt::join(known, ", "), NearestIs(key.substr(0, 60), known)));
    }
  }

  void ReadCount(std::string_view key, std::string_view text, std::uint32_t most,
                 std::optional<std::uint32_t>* count) {
    if (count->has_value()) Fail(fmt::format("{} twice", key), "each once");
    if (!table_.order.empty()) Fail(fmt::format("{} after a stage", key), "it before the stages");
    *count = ReadNumber<std::uint32_t>(text);
    if (!count->has_value() || **count < 1 || **count > most)
      Fail(fmt::format("{} '{}'", key, Printable(text)),
           fmt::format("an integer from 1 to {}", most));
  }

  void ReadPlacement(std::string_view text) {
    if (!table_.order.empty()) Fail("placement after a stage", "it before the stages");
    std::vector<std::string> known;
    for (const auto& [word, placement] : kPlacementWords) {
      known.emplace_back(word);
      if (text != word) continue;
      table_.shape.placement = placement;
      return;
    }
    Fail(fmt::format("placement '{}'", Printable(text)),
         fmt::format("{}{}", fmt::join(known, ", "), NearestIs(text.substr(0, 60), known)));
  }

  /// Takes the sizes over, with the first stage.
  void Settle() {
    if (!stages_ || !micro_batches_) Fail("a stage", "stages and micro_batches before it");
    PipelineShape& shape = table_.shape;
    const bool both = shape.placement == ChunkPlacement::kBothEnds;
    if (both && chunks_.value_or(2) != 2)
      Fail(fmt::format("{} chunks from both ends", *chunks_), "chunks 2, one from each end");
    shape.stages = *stages_;
    shape.micro_batches = *micro_batches_;
    shape.chunks = chunks_.value_or(both ? 2 : 1);
    table_.order.resize(shape.stages);
  }

  /// "2: F0 F1+B0", which continues the stage's tasks.
  void ReadStage(std::string_view text) {
    if (table_.order.empty()) Settle();
    const std::size_t colon = text.find(':');
    const std::string_view word = Trim(text.substr(0, colon));
    const auto stage = ReadNumber<std::uint32_t>(word);
    if (colon == std::string_view::npos || !stage || *stage >= table_.shape.stages)
      Fail(fmt::format("stage '{}'", Printable(word)),
           fmt::format("a number below {} and a colon", table_.shape.stages));
    std::string_view rest = Trim(text.substr(colon + 1));
    while (!rest.empty()) {
      ReadTogether(TakeWord(&rest), &table_.order[*stage]);
      rest = Trim(rest);
    }
  }

  /// "F1+B0": tasks that are done together; or one.
  void ReadTogether(std::string_view word, std::vector<PipelineTask>* order) {
    for (bool more = true; more;) {
      const std::size_t end = word.find(kTogether);
      more = end != std::string_view::npos;
      order->push_back(ReadTask(word.substr(0, end)));
      order->back().with_next = more;
      if (more) word.remove_prefix(end + 1);
    }
  }

  /// "F3" or "F3.1".
  PipelineTask ReadTask(std::string_view word) {
    PipelineTask task;
    const std::size_t dot = word.find('.');
    const std::string_view numbers = word.empty() ? word : word.substr(1);
    const auto micro_batch = ReadNumber<std::uint32_t>(
        dot == std::string_view::npos ? numbers : word.substr(1, dot - 1));
    const auto chunk = dot == std::string_view::npos
                           ? std::optional<std::uint32_t>(0)
                           : ReadNumber<std::uint32_t>(word.substr(dot + 1));
    bool known = false;
    for (const auto& [letter, work] : kWorkLetters) {
      if (word.empty() || word[0] != letter) continue;
      known = true;
      task.work = work;
    }
    if (!known || !micro_batch || !chunk)
      Fail(fmt::format("task '{}'", Printable(word)),
           "F3: forward of micro-batch 3; B3: backward; I3, W3: gradient of inputs, of weights; "
           "F3.1: on chunk 1; F4+B3: together");
    task.micro_batch = *micro_batch;
    task.chunk = *chunk;
    return task;
  }

  /// Compares the number of tasks with what the sizes ask for, before anything of that size is
  /// made.
  void CheckWhole() {
    if (table_.order.empty())
      throw UserError(table_.name +
                      ": no stage. Expected: stages, micro_batches, and a line for "
                      "each stage");
    const PipelineShape& shape = table_.shape;
    std::uint64_t tasks = 0;
    for (const std::vector<PipelineTask>& order : table_.order) tasks += order.size();
    const std::uint64_t chunks = shape.placement == ChunkPlacement::kBothEnds ? 1 : shape.chunks;
    const std::uint64_t least = 2 * chunks * shape.stages * shape.micro_batches;
    if (tasks < least)
      throw UserError(fmt::format(
          "{}: {} tasks. Expected: a forward and a backward of each of {} micro-batches "
          "on {} stages, {} or more tasks",
          table_.name, tasks, shape.micro_batches, shape.stages, least));
  }

  [[noreturn]] void Fail(const std::string& found, const std::string& expected) const {
    FailInput(lines_.where(), found, expected);
  }

  LineReader lines_;
  PipelineTable table_;
  std::optional<std::uint32_t> stages_, micro_batches_, chunks_;
};

}  // namespace

PipelineTable ParsePipelineTable(std::string_view text, const std::string& file) {
  return PipelineReader(text, file).Read();
}

PipelineTable ReadPipelineTable(const std::string& path) {
  return ParsePipelineTable(ReadTextFile(path), Printable(path));
}

void LoadPipelineTable(PipelineOptions* options) {
  const std::string file = options->File();
  options->own = file.empty() ? nullptr : std::make_shared<PipelineTable>(ReadPipelineTable(file));
}

std::string PipelineTableText(const PipelineTable& table) {
  const PipelineShape& shape = table.shape;
  std::string text = fmt::format("stages {}\nmicro_batches {}\nchunks {}\n", shape.stages,
                                 shape.micro_batches, shape.chunks);
  for (const auto& [word, placement] : kPlacementWords) {
    if (placement == shape.placement) text += fmt::format("placement {}\n", word);
  }
  for (std::uint32_t stage = 0; stage < shape.stages; ++stage) {
    text += fmt::format("stage {}:", stage);
    bool together = false;
    for (const PipelineTask& task : table.order[stage]) {
      text += (together ? kTogether : ' ') + ToText(task, shape);
      together = task.with_next;
    }
    text += '\n';
  }
  return text;
}

}  // namespace heddle
