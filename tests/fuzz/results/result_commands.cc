// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/results/result_commands.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "core/app/base/cli/commands.h"
#include "core/base/check.h"
#include "io/result/result_parts.h"
#include "io/row_log/rank_log.h"
#include "tests/fuzz/scratch.h"
#include "tests/support/made_result.h"

namespace heddle {
namespace {

using Arguments = std::vector<std::string>;

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

/// The cable of GPU 2 fails and comes back.
Table SomeFailures() {
  return TableOf("failures", 2,
                 {{"time_ps", I64{500, 900}},
                  {"event", Texts{"link_down", "link_up"}},
                  {"node", U32{6, 2}},
                  {"peer", I64{2, 6}},
                  {"cable", I64{-1, -1}}});
}

std::vector<std::string> MakeSound() {
  std::vector<std::string> made;
  for (MadeResult result : {TraceResult(), JobResult()}) {
    result.table("failures") = SomeFailures();
    result.Write(InScratch("made.h5"));
    made.push_back(BytesOf(InScratch("made.h5")));
  }
  const MadeResult result = TraceResult();
  RunTotals totals;
  totals.tables = result.tables;
  for (const auto& [name, value] : result.root) totals.attributes.push_back({name, value});
  totals.flush = 1;
  WriteTotals(InScratch("made.h5"), totals);
  made.push_back(BytesOf(TotalsPath(InScratch("made.h5"))));
  return made;
}

std::string MakeRowLog() {
  const std::string result = InScratch("log.h5");
  const auto numbers = [](std::int64_t first) {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < 500; ++i) values.push_back(first + 7 * i);
    return values;
  };
  TableStream log(result, 0, {{"steps", {"start_ps"}}});
  for (std::uint64_t flush = 1; flush <= 2; ++flush) {
    log.Append({"steps",
                "time line",
                {{"start_ps", "ps", "from", numbers(static_cast<std::int64_t>(flush))},
                 {"end_ps", "ps", "to", numbers(1)}}});
    log.Commit(flush, Time{static_cast<std::int64_t>(flush)});
  }
  log.Close();
  return BytesOf(log.path());
}

}  // namespace

std::string InScratch(const std::string& name) { return ScratchFolder() + "/" + name; }

const std::vector<std::string>& SoundResults() {
  static const std::vector<std::string> files = MakeSound();
  return files;
}

const std::string& SoundRowLog() {
  static const std::string bytes = MakeRowLog();
  return bytes;
}

void RecoverResult(const std::string& result) {
  const Quiet quiet;
  RecoverCommand({result, "-o", InScratch("recovered.h5"), "--force"});
}

const std::vector<ResultCommand>& ResultCommands() {
  static const std::vector<ResultCommand> commands = [] {
    const std::string out = InScratch("out"), sound = InScratch("made.h5");
    std::vector<ResultCommand> all;
    const auto add = [&](int (*command)(const Arguments&), const Arguments& before,
                         const Arguments& after) {
      all.push_back([=](const std::string& path) {
        const Quiet quiet;
        Arguments words = before;
        words.push_back(path);
        words.insert(words.end(), after.begin(), after.end());
        if (command(words) == static_cast<int>(ExitCode::kBadInput)) throw UserError("invalid");
      });
    };
    add(&ValidateCommand, {}, {});
    for (const char* flag :
         {"--fct", "--paths", "--flows-csv", "--path-log", "--qlen", "--bw", "--rate", "--cnp",
          "--cast", "--pfc", "--end-to-end", "--nccl-tests", "--perfetto"}) {
      add(&ExportCommand, {}, {flag, out, "--force"});
    }
    add(&CompareCommand, {}, {sound, "--with-run"});
    add(&CompareCommand, {sound}, {"--tolerance", "0.1"});
    add(&AnalyzeCommand, {"collisions"}, {"--csv", out, "--pairs", out + "2", "--force"});
    add(&AnalyzeCommand, {"paths"}, {"--csv", out, "--force"});
    add(&AnalyzeCommand, {"serve"}, {});
    add(&AnalyzeCommand, {"step"}, {"--csv", out, "--force"});
    add(&AnalyzeCommand, {"failures"}, {"--csv", out, "--against", sound, "--force"});
    add(&ReportCommand, {}, {sound, "-o", out, "--force"});
    add(&ReportCommand, {}, {"-o", out, "--force"});
    add(&SweepCommand, {"--figures"}, {});
    return all;
  }();
  return commands;
}

}  // namespace heddle
