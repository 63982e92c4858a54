// SPDX-License-Identifier: GPL-2.0-only
#include "io/msccl/msccl_algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/options/token_reader.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "io/xml/xml_text.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostGpus = 65536, kMostChunks = 1 << 20, kMostChannels = 1024;
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 20;
constexpr XmlKind kKind = {"an algorithm of MSCCL", "algo", std::size_t{64} << 20};

template <class Value>
struct Word {
  const char* word;
  Value value;
};
constexpr Word<CustomStep::Kind> kSteps[] = {{"nop", CustomStep::Kind::kNop},
                                             {"s", CustomStep::Kind::kSend},
                                             {"r", CustomStep::Kind::kReceive},
                                             {"cpy", CustomStep::Kind::kCopy},
                                             {"re", CustomStep::Kind::kReduce},
                                             {"rcs", CustomStep::Kind::kReceiveCopySend},
                                             {"rrc", CustomStep::Kind::kReceiveReduceCopy},
                                             {"rrs", CustomStep::Kind::kReceiveReduceSend},
                                             {"rrcs", CustomStep::Kind::kReceiveReduceCopySend}};
constexpr Word<Operation> kOperations[] = {{"allreduce", Operation::kAllReduce},
                                           {"allgather", Operation::kAllGather},
                                           {"reducescatter", Operation::kReduceScatter},
                                           {"alltoall", Operation::kAllToAll}};
constexpr Word<Protocol> kProtocols[] = {
    {"simple", Protocol::kSimple}, {"ll128", Protocol::kLl128}, {"ll", Protocol::kLl}};
constexpr Word<CustomChunks::Buffer> kBuffers[] = {{"i", CustomChunks::Buffer::kInput},
                                                   {"o", CustomChunks::Buffer::kOutput},
                                                   {"s", CustomChunks::Buffer::kScratch}};

/// Small letters, without "_": files have reduce_scatter and reducescatter.
std::string Plain(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  CustomAlgorithm Read(const XmlTree& algo) {
    CustomAlgorithm algorithm;
    algorithm.file = file_;
    where_ = "element algo";
    algorithm.name = Printable(XmlText(algo, "name"));
    algorithm.operation = Among(algo, "coll", kOperations);
    algorithm.protocol = Among(algo, "proto", kProtocols);
    algorithm.in_place = Number(algo, "inplace", 0, 1, 0) == 1;
    algorithm.chunks = Unsigned(algo, "nchunksperloop", 1, kMostChunks);
    algorithm.gpus.resize(Unsigned(algo, "ngpus", 2, kMostGpus));
    ForEachOf(algo, "gpu", algorithm.gpus.size(), [&](const XmlTree& gpu, std::uint32_t id) {
      algorithm.gpus[id] = ReadGpu(gpu, fmt::format("GPU {}", id));
    });
    return algorithm;
  }

 private:
  [[noreturn]] void Fail(const std::string& found, const std::string& expected) const {
    FailInput({file_, 0}, where_ + ": " + found, expected);
  }

  std::int64_t Number(const XmlTree& element, const char* attribute, std::int64_t least,
                      std::int64_t most, std::optional<std::int64_t> otherwise = {}) const {
    const std::string text = XmlText(element, attribute);
    if (text.empty() && otherwise) return *otherwise;
    const std::optional<std::int64_t> number = ReadNumber<std::int64_t>(text);
    if (!number || *number < least || *number > most)
      Fail(fmt::format("{}=\"{}\"", attribute, Printable(text)),
           fmt::format("a number from {} to {}", least, most));
    return *number;
  }
  std::uint32_t Unsigned(const XmlTree& element, const char* attribute, std::int64_t least,
                         std::int64_t most) const {
    return static_cast<std::uint32_t>(Number(element, attribute, least, most));
  }
  /// A GPU, block or step, or none (-1).
  std::uint32_t OrNone(const XmlTree& element, const char* attribute) const {
    const std::int64_t number = Number(element, attribute, -1, kMostSteps, -1);
    return number < 0 ? CustomStep::kNone : static_cast<std::uint32_t>(number);
  }

  template <class Value, std::size_t kWords>
  Value Among(const XmlTree& element, const char* attribute,
              const Word<Value> (&words)[kWords]) const {
    const std::string text = XmlText(element, attribute);
    std::string known;
    for (const auto& [word, value] : words) {
      if (Plain(text) == word) return value;
      known += (known.empty() ? "" : ", ") + std::string(word);
    }
    Fail(fmt::format("{}=\"{}\"", attribute, Printable(text)), "one of " + known);
  }

  /// Visits the `count` elements of a name, which must have the ids 0, 1, ...; ~0: as many as there
  /// are.
  template <class Visit>
  void ForEachOf(const XmlTree& parent, const char* name, std::size_t count,
                 const Visit& visit) const {
    const std::size_t found = parent.count(name);
    if (count != ~std::size_t{0} && found != count)
      Fail(fmt::format("{} elements {}", found, name), std::to_string(count));
    std::vector<bool> seen(found);
    for (const auto& [word, child] : parent) {
      if (word != name) continue;
      const std::int64_t id = Number(child, "id", 0, static_cast<std::int64_t>(found) - 1);
      if (seen[static_cast<std::size_t>(id)])
        Fail(fmt::format("two elements {} with id {}", name, id), "one of each");
      seen[static_cast<std::size_t>(id)] = true;
      visit(child, static_cast<std::uint32_t>(id));
    }
  }

  CustomGpu ReadGpu(const XmlTree& element, const std::string& where) {
    const std::string outer = std::exchange(where_, where);
    CustomGpu gpu;
    gpu.input = Unsigned(element, "i_chunks", 0, kMostChunks);
    gpu.output = Unsigned(element, "o_chunks", 0, kMostChunks);
    gpu.scratch = Unsigned(element, "s_chunks", 0, kMostChunks);
    gpu.blocks.resize(element.count("tb"));
    ForEachOf(element, "tb", ~std::size_t{0}, [&](const XmlTree& block, std::uint32_t id) {
      gpu.blocks[id] = ReadBlock(block, fmt::format("{}, thread block {}", where, id));
    });
    where_ = outer;
    return gpu;
  }

  CustomBlock ReadBlock(const XmlTree& element, const std::string& where) {
    const std::string outer = std::exchange(where_, where);
    CustomBlock block;
    block.to = OrNone(element, "send");
    block.from = OrNone(element, "recv");
    block.channel = Unsigned(element, "chan", 0, kMostChannels - 1);
    for (const auto& [word, child] : element) {
      if (word != "step") continue;
      where_ = fmt::format("{}, step {}", where, block.steps.size());
      if (Number(child, "s", 0, kMostSteps) != static_cast<std::int64_t>(block.steps.size()))
        Fail(fmt::format("s=\"{}\"", Printable(XmlText(child, "s"))), "steps in order, from 0");
      if (++steps_ > kMostSteps) Fail(fmt::format("more than {} steps", kMostSteps), "fewer");
      block.steps.push_back(ReadStep(child));
    }
    where_ = outer;
    return block;
  }

  CustomStep ReadStep(const XmlTree& element) const {
    CustomStep step;
    step.kind = Among(element, "type", kSteps);
    if (step.kind != CustomStep::Kind::kNop) step.count = Unsigned(element, "cnt", 1, kMostChunks);
    if (step.reads()) step.source = ReadChunks(element, "srcbuf", "srcoff");
    if (step.writes()) step.destination = ReadChunks(element, "dstbuf", "dstoff");
    step.wait_block = OrNone(element, "depid");
    step.wait_step = OrNone(element, "deps");
    if ((step.wait_block == CustomStep::kNone) != (step.wait_step == CustomStep::kNone))
      Fail("one of depid and deps is -1", "both or none");
    return step;
  }

  CustomChunks ReadChunks(const XmlTree& element, const char* buffer, const char* offset) const {
    return {Among(element, buffer, kBuffers), Unsigned(element, offset, 0, kMostChunks)};
  }

  const std::string& file_;
  std::string where_;
  std::uint64_t steps_ = 0;
};

}  // namespace

CustomAlgorithm ParseMscclAlgorithm(const std::string& text, const std::string& name) {
  return Reader(name).Read(ParseXml(text, name, kKind));
}

CustomAlgorithm ReadMscclAlgorithm(const std::string& path) {
  return ReadAs(FileKind::kMsccl, path,
                [&] { return ParseMscclAlgorithm(ReadTextFile(path), Printable(path)); });
}

}  // namespace heddle
