// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/results/result_commands.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "core/app/cli/commands.h"
#include "core/base/check.h"
#include "io/result/result_parts.h"
#include "tests/fuzz/scratch.h"
#include "tests/support/made_result.h"

namespace heddle {
namespace {

using Words = std::vector<std::string>;

/// Discards the output of commands while it exists.
class Quiet {
 public:
  Quiet() {
    std::fflush(nullptr);
    for (const int stream : {1, 2}) {
      kept_[stream] = dup(stream);
      dup2(nowhere_, stream);
    }
  }
  ~Quiet() {
    std::fflush(nullptr);
    for (const int stream : {1, 2}) {
      dup2(kept_[stream], stream);
      close(kept_[stream]);
    }
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  inline static const int nowhere_ = open("/dev/null", O_WRONLY | O_CLOEXEC);
  int kept_[3] = {};
};

std::vector<std::string> MakeSound() {
  std::vector<std::string> made;
  for (const MadeResult& result : {TraceResult(), JobResult()}) {
    result.Write(InScratch("made.h5"));
    made.push_back(BytesOf(InScratch("made.h5")));
  }
  const MadeResult result = TraceResult();
  RunTotals totals;
  totals.tables = result.tables;
  for (const auto& [name, value] : result.root) totals.attributes.push_back({name, value});
  WriteTotals(InScratch("made.h5"), totals);
  made.push_back(BytesOf(TotalsPath(InScratch("made.h5"))));
  return made;
}

}  // namespace

std::string InScratch(const std::string& name) { return ScratchFolder() + "/" + name; }

const std::vector<std::string>& SoundResults() {
  static const std::vector<std::string> files = MakeSound();
  return files;
}

const std::vector<ResultCommand>& ResultCommands() {
  static const std::vector<ResultCommand> commands = [] {
    const std::string out = InScratch("out"), sound = InScratch("made.h5");
    std::vector<ResultCommand> all;
    const auto add = [&](int (*command)(const Words&), const Words& before, const Words& after) {
      all.push_back([=](const std::string& path) {
        const Quiet quiet;
        Words words = before;
        words.push_back(path);
        words.insert(words.end(), after.begin(), after.end());
        if (command(words) == static_cast<int>(ExitCode::kBadInput)) throw UserError("invalid");
      });
    };
    add(&ValidateCommand, {}, {});
    for (const char* flag :
         {"--fct", "--paths", "--flows-csv", "--path-log", "--qlen", "--bw", "--rate", "--cnp",
          "--pfc", "--end-to-end", "--nccl-tests", "--perfetto"}) {
      add(&ExportCommand, {}, {flag, out, "--force"});
    }
    add(&CompareCommand, {}, {sound, "--with-run"});
    add(&CompareCommand, {sound}, {"--tolerance", "0.1"});
    add(&AnalyzeCommand, {"collisions"}, {"--csv", out, "--pairs", out + "2", "--force"});
    add(&ReportCommand, {}, {sound, "-o", out, "--force"});
    add(&ReportCommand, {}, {"-o", out, "--force"});
    return all;
  }();
  return commands;
}

}  // namespace heddle
