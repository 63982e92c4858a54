// SPDX-License-Identifier: GPL-2.0-only
#include "io/simai/raw_workload_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "core/base/check.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

constexpr const char* kFwdInBackward = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";
constexpr std::uint64_t kLeastForwardBytes = 4096;
/// Many times what the largest workloads have. SimAI takes what fits into its memory.
constexpr int kMostRows = 200'000;

/// As std::stoi: the number that a word begins with.
int LeadingInt(const std::string& word, const SourceLine& where, const std::string& name) {
  try {
    return std::stoi(word);
  } catch (const std::exception&) {
    FailInput(where, fmt::format("{} {}; SimAI crashes there (SIGABRT)", name, Quote(word)),
              "an integer below 2^31");
  }
}

/// The words of the first line.
class Header {
 public:
  Header(const std::string& line, SourceLine where) : where_(std::move(where)) {
    std::istringstream stream(line);
    for (std::string word; stream >> word;) words_.push_back(word);
    if (words_.empty())
      FailInput(where_, "an empty first line; SimAI crashes there (SIGSEGV)", "a header");
  }

  const std::string& policy() const { return words_.front(); }
  /// Calls `use` with the value after each word that is `key`, and with the value after that.
  template <class Use>
  void ForEach(const std::string& key, const Use& use) const {
    for (std::size_t i = 1; i < words_.size(); ++i) {
      if (words_[i] == key) use(IntAt(i + 1, key), i);
    }
  }
  int IntAt(std::size_t index, const std::string& key) const {
    if (index >= words_.size())
      FailInput(where_, fmt::format("{} without a value; SimAI crashes there (SIGSEGV)", key),
                "an integer");
    return LeadingInt(words_[index], where_, key);
  }
  const SourceLine& where() const { return where_; }

 private:
  SourceLine where_;
  std::vector<std::string> words_;
};

void ReadSizes(const Header& header, RawWorkload* workload) {
  const std::pair<const char*, int RawWorkload::*> keys[] = {
      {"model_parallel_NPU_group:", &RawWorkload::tensor},
      {"ep:", &RawWorkload::expert},
      {"pp:", &RawWorkload::pipeline},
      {"vpp:", &RawWorkload::virtual_pipeline},
      {"ga:", &RawWorkload::gradient_accumulation}};
  for (const auto& [key, member] : keys) {
    int RawWorkload::*const place = member;
    header.ForEach(key, [&](int value, std::size_t) { workload->*place = value; });
  }
  header.ForEach("all_gpus:", [](int, std::size_t) {});
}

void ReadPipelineBytes(const Header& header, RawWorkload* workload) {
  const auto use = [&](int value, std::size_t) {
    workload->pipeline_bytes = static_cast<std::uint32_t>(value);
  };
  header.ForEach("pp_comm", use);
  header.ForEach("pp_comm:", use);
}

/// The first layer that a list in the header names; -1: an empty list.
int FirstLayerOf(const Header& header, const std::string& key) {
  int layer = -1;
  header.ForEach(key, [&](int count, std::size_t at) {
    if (count > 0) layer = header.IntAt(at + 2, key);
  });
  return layer;
}

/// Layers from the checkpoint up to the one that initiates run forward once more.
void MarkCheckpoints(const Header& header, RawWorkload* workload) {
  const int checkpoint = FirstLayerOf(header, "checkpoints:");
  const int initiates = FirstLayerOf(header, "checkpoint_initiates:");
  if (initiates < 0 || initiates >= static_cast<int>(workload->layers.size())) return;
  if (checkpoint < 0 || checkpoint >= initiates)
    FailInput(header.where(),
              fmt::format("checkpoint_initiates: layer {} without a checkpoint before it; SimAI "
                          "crashes there",
                          initiates),
              "checkpoints: with a lower layer");
  for (int i = checkpoint; i < initiates; ++i)
    workload->layers[static_cast<std::size_t>(i)].forward_runs = 2;
}

/// 24 bits remain, as SimAI multiplies by a scale of 1 in single precision.
std::uint64_t Rounded(std::uint64_t number) {
  const auto single = static_cast<float>(number);
  return single >= 18446744073709551616.0F ? 0 : static_cast<std::uint64_t>(single);
}

void SetOperation(const std::string& word, GroupType plain, RawPhase* phase) {
  // In the order in which SimAI compares beginnings: ALLREDUCEALLTOALL is an ALLREDUCE.
  constexpr Operation kOperations[] = {Operation::kAllReduce, Operation::kAllToAll,
                                       Operation::kAllGather, Operation::kReduceScatter};
  for (const Operation operation : kOperations) {
    const std::string name = ToText(operation);
    if (word.compare(0, name.size(), name) != 0) continue;
    phase->operation = operation;
    const std::string suffix = word.substr(name.size());
    if (suffix.empty()) phase->group = plain;
    if (suffix == "_EP") phase->group = GroupType::kExpert;
    if (suffix == "_DP_EP") phase->group = GroupType::kDataExpert;
    return;
  }
}

/// Numbers of the row before, which SimAI keeps where a row lacks some.
struct RowNumbers {
  std::uint64_t compute = 0, bytes = 0;
};

RawPhase ReadPhase(std::istream* in, GroupType plain, RowNumbers* numbers) {
  RawPhase phase;
  std::string word;
  *in >> numbers->compute >> word >> numbers->bytes;
  phase.compute_ns = Rounded(numbers->compute);
  phase.bytes = Rounded(numbers->bytes);
  SetOperation(word, plain, &phase);
  return phase;
}

/// The rows after the first two lines, with the line of each.
class RowReader {
 public:
  RowReader(const std::string& text, std::size_t begin, SourceLine where)
      : text_(text),
        counted_(begin),
        where_(std::move(where)),
        in_(text.substr(begin)),
        begin_(begin) {}

  RawLayer Next() {
    RawLayer layer;
    in_ >> layer.name;
    FindLine();
    layer.line = where_.line;
    int dependency = 0;
    in_ >> dependency;
    layer.forward = ReadPhase(&in_, GroupType::kTensor, &forward_);
    layer.input_gradient = ReadPhase(&in_, GroupType::kTensor, &input_gradient_);
    layer.weight_gradient = ReadPhase(&in_, GroupType::kData, &weight_gradient_);
    complete_ = !in_.fail();
    std::uint64_t update = 0;  // not used
    in_ >> update;
    return layer;
  }
  /// Whether all words of the last row were there, and numbers where they should be.
  bool complete() const { return complete_; }
  const SourceLine& where() const { return where_; }

 private:
  void FindLine() {
    const auto position = in_.tellg();
    if (position < 0) return;
    const std::size_t end = begin_ + static_cast<std::size_t>(position);
    where_.line += std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                              text_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    counted_ = end;
  }

  const std::string& text_;
  std::size_t counted_;
  SourceLine where_;
  std::istringstream in_;
  std::size_t begin_;
  bool complete_ = false;
  RowNumbers forward_, input_gradient_, weight_gradient_;
};

/// Takes the line at `*at` off the text.
std::string TakeLine(const std::string& text, std::size_t* at) {
  const std::size_t begin = std::min(*at, text.size());
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  *at = end + 1;
  return text.substr(begin, end - begin);
}

void ReadRows(const std::string& text, std::size_t begin, int count, const std::string& name,
              RawWorkload* workload) {
  if (count < 1 || count > kMostRows)
    FailInput({name, 2}, fmt::format("{} rows; SimAI crashes there", count),
              fmt::format("1 to {} rows", kMostRows));
  RowReader reader(text, std::min(begin, text.size()), {name, 3});
  for (int i = 0; i < count; ++i) {
    workload->layers.push_back(reader.Next());
    if (i == 0 && !reader.complete())
      FailInput(reader.where(),
                "a first row without its 12 columns; SimAI computes with what is in its memory",
                "name dependency fwd_ns fwd_comm fwd_bytes ig_ns ig_comm ig_bytes wg_ns wg_comm "
                "wg_bytes update_ns");
  }
}

}  // namespace

RawWorkload ParseRawWorkload(const std::string& text, const std::string& name) {
  std::size_t at = 0;
  const Header header(TakeLine(text, &at), {name, 1});
  RawWorkload workload;
  workload.policy = header.policy();
  workload.is_transformer =
      workload.policy == kFwdInBackward || workload.policy == "HYBRID_TRANSFORMER";
  if (!workload.is_transformer) return workload;
  ReadSizes(header, &workload);
  ReadPipelineBytes(header, &workload);
  const int count = LeadingInt(TakeLine(text, &at), {name, 2}, "number of rows");
  ReadRows(text, at, count, name, &workload);
  if (workload.policy != kFwdInBackward) return workload;
  MarkCheckpoints(header, &workload);
  for (RawLayer& layer : workload.layers) {
    std::uint64_t& bytes = layer.forward.bytes;
    if (bytes > 0 && bytes < kLeastForwardBytes) bytes = kLeastForwardBytes;
  }
  return workload;
}

}  // namespace heddle
