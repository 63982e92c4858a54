// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/output_conflicts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

class OutputConflictsTest : public ::testing::Test {
 protected:
  OutputConflictsTest() {
    for (const char* name : {"in.txt", "old.txt"}) std::ofstream(At(name)) << name;
  }
  std::string At(const std::string& name) const { return folder_.In(name); }
  /// The exit code with which the rule ends a command that reads in.txt.
  ExitCode CodeOf(const std::vector<OutputFile>& outputs, bool force) const {
    try {
      CheckOutputs(outputs, {{"-n", At("in.txt")}}, force);
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode::kDone;
  }
  TemporaryFolder folder_;
};

TEST_F(OutputConflictsTest, ExistingFilesNeedForce) {
  EXPECT_EQ(CodeOf({{"-o", At("new.txt")}}, false), ExitCode::kDone);
  EXPECT_EQ(CodeOf({{"-o", At("old.txt")}}, false), ExitCode::kInputOutput);
  EXPECT_EQ(CodeOf({{"-o", At("old.txt")}}, true), ExitCode::kDone);
  EXPECT_EQ(CodeOf({{"-o", At("nowhere/new.txt")}}, true), ExitCode::kInputOutput);
}

TEST_F(OutputConflictsTest, InputsAreNeverReplaced) {
  std::filesystem::create_hard_link(At("in.txt"), At("hard.txt"));
  std::filesystem::create_symlink("in.txt", At("soft.txt"));
  std::filesystem::create_symlink(folder_.path(), At("folder"));
  for (const char* name : {"in.txt", "./in.txt", "hard.txt", "soft.txt", "folder/in.txt"}) {
    for (const bool force : {false, true})
      EXPECT_EQ(CodeOf({{"-o", At(name)}}, force), ExitCode::kBadInput) << name;
  }
}

TEST_F(OutputConflictsTest, NorAreTheyAmongTheFilesBesideTheOutput) {
  for (const char* name : {"x.h5.part", "x.h5.part.rank0", "x.h5.ckpt", "x.h5.ckpt.1.rank0"}) {
    const std::vector<InputFile> inputs = {{"-n", At(name)}};
    EXPECT_THROW(CheckOutputs({{"-o", At("x.h5"), false}}, inputs, true), UserError) << name;
    std::filesystem::create_symlink("in.txt", At(name));
    EXPECT_THROW(CheckOutputs({{"-o", At("x.h5"), false}}, inputs, true), UserError) << name;
  }
  for (const char* name : {"x.h5.partition", "x.h5.txt", "x.h", "y.h5.part"})
    EXPECT_NO_THROW(CheckOutputs({{"-o", At("x.h5"), false}}, {{"-n", At(name)}}, true)) << name;
}

TEST_F(OutputConflictsTest, TwoOutputsAreTwoFiles) {
  EXPECT_EQ(CodeOf({{"--fct", At("a")}, {"--qlen", At("./a")}}, true), ExitCode::kBadInput);
  EXPECT_EQ(CodeOf({{"-o", At("a")}, {"--json-log", At("a.part")}}, true), ExitCode::kBadInput);
  EXPECT_EQ(CodeOf({{"--fct", At("a")}, {"--qlen", At("b")}, {"--bw", ""}}, false),
            ExitCode::kDone);
}

TEST_F(OutputConflictsTest, TextMayGoToStandardOutputAndDevices) {
  for (const char* name : {"-", "/dev/stdout", "/dev/null"}) {
    EXPECT_EQ(CodeOf({{"--fct", name}, {"--qlen", name}}, false), ExitCode::kDone) << name;
    CheckOutputs({{"--json-log", name}}, {{"-c", "/dev/null"}}, false);
  }
  EXPECT_EQ(CodeOf({{"-o", "/dev/null", /*is_text=*/false}}, true), ExitCode::kInputOutput);
}

TEST_F(OutputConflictsTest, OfARun) {
  RunArguments run;
  run.topology = At("in.txt");
  run.trace = At("old.txt");
  const auto code = [&] {
    try {
      CheckRunOutputs(run);
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode::kDone;
  };
  run.force = true;
  for (std::string RunArguments::*output :
       {&RunArguments::output, &RunArguments::json_log, &RunArguments::profile}) {
    for (const char* input : {"in.txt", "old.txt"}) {
      run.*output = At(input);
      EXPECT_EQ(code(), ExitCode::kBadInput);
      EXPECT_THROW(CheckPathLog(At(input), run), UserError);
    }
    run.*output = At("new.txt");
    EXPECT_EQ(code(), ExitCode::kDone);
    EXPECT_THROW(CheckPathLog(At("new.txt"), run), UserError) << "is another output";
    (run.*output).clear();
  }
}

TEST_F(OutputConflictsTest, OfARunThatRestarts) {
  RunArguments run;
  run.topology = At("in.txt");
  run.output = At("x.h5");
  run.profile = At("old.txt");
  run.checkpoint.restart = "auto";
  EXPECT_THROW(CheckRunOutputs(run), FileError) << "nothing says that the profile is its own";
  EXPECT_THROW(CheckPathLog(At("old.txt"), RunArguments(run)), UserError);
  std::ofstream(At("x.h5")) << "a result";
  EXPECT_NO_THROW(CheckRunOutputs(run));
  run.checkpoint.restart.clear();
  EXPECT_THROW(CheckRunOutputs(run), FileError);
  run.estimate = true;
  EXPECT_NO_THROW(CheckRunOutputs(run)) << "neither is written";
}

}  // namespace
}  // namespace heddle
