// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the workload reader and of the programs made of what it accepts.
///
/// Whatever the bytes, there are two outcomes. Either a workload is read: then its numbers are in range, and its groups
/// and program on some GPUs are sound or refused. Or a UserError names the file, in printable characters. Anything else
/// ends the program with the input written to standard error.
///
/// Usage: simai_workload_fuzz ROUNDS SEED CORPUS_DIRECTORY. Equal arguments do equal things. With HEDDLE_LIBFUZZER
/// libFuzzer chooses the inputs instead.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/program.h"
#include "core/check.h"
#include "io/simai_workload.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";
/// The longest message that a user should get.
constexpr std::size_t kLongestMessage = 600;
/// Programs above this size are sound or not for the same reasons as small ones.
constexpr double kLargestProgram = 20'000;

[[noreturn]] void Complain(const std::string& what, std::string_view input) {
  std::string shown;
  for (const char c : input.substr(0, 3000)) {
    shown += (c >= ' ' && c <= '~' && c != '\\') || c == '\n' || c == '\t'
                 ? std::string(1, c)
                 : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  std::fprintf(stderr, "simai_workload_fuzz: %s\n---- the input:\n%s\n----\n", what.c_str(), shown.c_str());
  std::abort();
}

/// Runs `action`; returns whether it threw no UserError. Any other exception, or a bad message, is a complaint.
template <class Action>
bool Accepts(const std::string& start, std::string_view input, Action action) {
  try {
    action();
    return true;
  } catch (const UserError& error) {
    const std::string message = error.what();
    const bool printable = std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (!printable) Complain("an unprintable message", input);
    if (message.size() > kLongestMessage) Complain(fmt::format("a message of {} bytes", message.size()), input);
    if (message.rfind(start, 0) != 0) Complain("no file in the message: " + message, input);
    if (message.find(". Expected: ") == std::string::npos) Complain("no remedy in the message: " + message, input);
    return false;
  } catch (const std::exception& error) {
    Complain(fmt::format("an exception that is no UserError: {}", error.what()), input);
  }
}

void CheckPhase(const LayerPhase& phase, std::string_view input) {
  if (phase.compute < Time{} || phase.bytes < 0) Complain("a negative number", input);
}

void CheckWorkload(const Workload& workload, std::string_view input) {
  if (workload.layers.empty()) Complain("a workload without layers", input);
  const auto lines = 1 + std::count(input.begin(), input.end(), '\n');
  for (const Layer& layer : workload.layers) {
    if (layer.name.empty() || layer.line < 1 || layer.line > lines) Complain("a layer without name or line", input);
    CheckPhase(layer.forward, input);
    CheckPhase(layer.input_gradient, input);
    CheckPhase(layer.weight_gradient, input);
  }
}

/// What an executor takes for granted: every operation has a group, every step its operation, blocking ones are issued
/// once.
void CheckSteps(const Program& program, const ParallelGroups& groups, std::string_view input) {
  if (program.steps.size() != groups.pipeline()) Complain("a stage without steps", input);
  for (const ProgramOp& op : program.ops) {
    if (op.spec.bytes <= 0 || groups.size(op.spec.group) < 2) Complain("an operation that does nothing", input);
  }
  for (const auto& steps : program.steps) {
    std::vector<int> issued(program.ops.size(), 0), waited(program.ops.size(), 0);
    for (const ProgramStep& step : steps) {
      if (step.time < Time{}) Complain("a step of negative time", input);
      if (step.kind == ProgramStep::Kind::kCompute || step.kind == ProgramStep::Kind::kPause) continue;
      if (step.op >= program.ops.size()) Complain("a step without an operation", input);
      ++(step.kind == ProgramStep::Kind::kWait ? waited : issued)[step.op];
    }
    for (std::size_t op = 0; op < program.ops.size(); ++op) {
      if (issued[op] > 1) Complain("an operation issued twice", input);
      if (waited[op] > 0 && issued[op] == 0) Complain("an operation waited for and never issued", input);
      if (issued[op] == 0 && program.ops[op].spec.group != GroupType::kPipeline)
        Complain("an operation never issued", input);
    }
  }
}

/// Returns whether the text was accepted.
bool CheckText(std::string_view text) {
  Workload workload;
  if (!Accepts(kFile, text, [&] { workload = ParseSimaiWorkload(text, kFile); })) return false;
  CheckWorkload(workload, text);
  for (const std::uint32_t ranks : {1U, 16U, 24U}) {
    Accepts("job", text, [&] {
      const ParallelGroups groups(DefaultSizes(workload, ranks, 8), ranks, "job");
      const double repeats =
          groups.pipeline() > 1 ? static_cast<double>(workload.gradient_accumulation) * groups.pipeline() : 1;
      const double recomputed = 1 + static_cast<double>(workload.checkpoint_initiates.size());
      if (repeats * recomputed * static_cast<double>(workload.layers.size()) > kLargestProgram) return;
      WorkloadWarnings(workload, groups);
      Accepts(kFile, text, [&] { CheckSteps(MakeProgram(workload, groups, 2), groups, text); });
    });
  }
  return true;
}

}  // namespace
}  // namespace heddle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::CheckText({reinterpret_cast<const char*>(data), size});
  return 0;
}

#ifndef HEDDLE_LIBFUZZER
namespace heddle {
namespace {

/// Words of the format, and words that have broken readers before.
const std::vector<std::string>& Words() {
  static const std::vector<std::string> words = {"MICRO",
                                                 "DATA",
                                                 "MODEL",
                                                 "HYBRID_DATA_MODEL",
                                                 "HYBRID_TRANSFORMER",
                                                 "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                                 "HYBRID_DLRM",
                                                 "DISTRIBUTED_INFERENCE",
                                                 "model_parallel_NPU_group:",
                                                 "ep:",
                                                 "pp:",
                                                 "vpp:",
                                                 "ga:",
                                                 "all_gpus:",
                                                 "checkpoints:",
                                                 "checkpoint_initiates:",
                                                 "pp_comm:",
                                                 "pp_comm",
                                                 "NONE",
                                                 "ALLREDUCE",
                                                 "ALLTOALL_EP",
                                                 "ALLGATHER_DP_EP",
                                                 "REDUCESCATTER",
                                                 "BROADCAST",
                                                 "REDUCE_TP",
                                                 "SENDRECV",
                                                 "ALLREDUCEALLTOALL",
                                                 "TP",
                                                 "DP",
                                                 "EP",
                                                 "DP_EP",
                                                 "PP",
                                                 "#",
                                                 "0",
                                                 "1",
                                                 "2",
                                                 "3",
                                                 "4",
                                                 "8",
                                                 "16",
                                                 "-1",
                                                 "-0",
                                                 "+1",
                                                 "1.5",
                                                 "1e9",
                                                 "0x10",
                                                 "4095",
                                                 "100000",
                                                 "1048576",
                                                 "1048577",
                                                 "1000000000000000",
                                                 "2147483648",
                                                 "4294967296",
                                                 "4611686018427387904",
                                                 "4611686018427387905",
                                                 "9223372036854775807",
                                                 "99999999999999999999",
                                                 "nan",
                                                 "%s%n",
                                                 "{}",
                                                 "\xff",
                                                 "\x7f",
                                                 std::string(1, '\0'),
                                                 std::string(300, '7'),
                                                 std::string(300, 'x')};
  return words;
}

class Mutator {
 public:
  Mutator(std::uint64_t seed, std::vector<std::string> corpus) : random_(seed), corpus_(std::move(corpus)) {
    for (std::string& text : corpus_) text.resize(std::min<std::size_t>(text.size(), 4000));  // rounds are many
  }

  /// A file of the corpus, or a small one made up, with words replaced, and at times with bytes damaged.
  std::string Text() {
    std::string text = Chance(2) ? corpus_[Below(corpus_.size())] : MadeUp();
    for (std::size_t i = Below(3); i > 0; --i) ReplaceWord(&text);
    if (Chance(4)) Damage(&text);
    return text;
  }

 private:
  std::string MadeUp() {
    if (Chance(4))
      return fmt::format("{} ALLREDUCE {} {}\n1 ALLTOALL 4096\n", 1 + Below(3), 1 + Below(9000),
                         Chance(2) ? "DP" : "EP");
    const std::size_t layers = 1 + Below(4);
    std::string text = Chance(2) ? Words()[7] : Words()[5];
    if (Chance(3)) text = Words()[Below(6)];
    for (const char* key : {"model_parallel_NPU_group:", "ep:", "pp:", "ga:", "pp_comm"}) {
      if (Chance(2)) text += fmt::format(" {} {}", key, 1 << Below(4));
    }
    if (Chance(2)) text += fmt::format(" checkpoints: 2 0 {} checkpoint_initiates: 1 {}", Below(layers), Below(layers));
    text += fmt::format("\n{}\n", layers);
    for (std::size_t i = 0; i < layers; ++i) {
      text += fmt::format("l{} -1", i);
      for (int phase = 0; phase < 3; ++phase)
        text += fmt::format(" {} {} {}", Below(50), Words()[18 + Below(8)], Below(9000));
      text += " 1\n";
    }
    return text;
  }

  void ReplaceWord(std::string* text) {
    const std::size_t at = text->find_first_not_of(" \t\r\n", Below(text->size() + 1));
    if (at == std::string::npos) return;
    const std::size_t end = std::min(text->find_first_of(" \t\r\n", at), text->size());
    text->replace(at, end - at, Words()[Below(Words().size())]);
  }

  void Damage(std::string* text) {
    for (std::size_t i = 1 + Below(4); i > 0; --i) {
      const std::size_t at = Below(text->size() + 1);
      switch (Below(5)) {
        case 0:
          text->insert(at, " " + Words()[Below(Words().size())]);
          break;
        case 1:
          text->erase(at, Below(8));
          break;
        case 2:
          text->insert(at, 1, static_cast<char>(Below(256)));
          break;
        case 3:
          text->insert(at, 1, '\n');
          break;
        default:
          text->resize(at);
      }
    }
  }

  std::size_t Below(std::size_t limit) { return random_() % limit; }
  bool Chance(std::size_t one_in) { return Below(one_in) == 0; }

  std::mt19937_64 random_;
  std::vector<std::string> corpus_;
};

int Fuzz(std::uint64_t rounds, std::uint64_t seed, const std::string& directory) {
  const std::vector<std::string> corpus = ReadCorpus(directory);
  std::uint64_t good = 0;
  for (const std::string& text : corpus) good += CheckText(text) ? 1 : 0;
  if (good == 0) {
    std::fprintf(stderr, "simai_workload_fuzz: no file of %s is accepted: nothing to start from\n", directory.c_str());
    return 1;
  }
  Mutator mutator(seed, corpus);
  for (std::uint64_t round = 0; round < rounds; ++round) good += CheckText(mutator.Text()) ? 1 : 0;
  std::printf("%llu rounds from seed %llu: %llu workloads accepted, the others refused with a message\n",
              static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(good));
  // A fuzzer whose inputs are all refused at the door tests the door only.
  return good * 10 > rounds ? 0 : 1;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) { return heddle::FuzzMain(argc, argv, heddle::Fuzz); }
#endif
