// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the readers of results (HDF5): validate, compare, export, analyze, report, recover.
///
/// An input is two bytes and edits of four bytes each (tests/fuzz/results/hdf5_edits.h). The first
/// byte selects the valid result to edit, the second the command that reads it; the result reader
/// and heddle validate always read it.
#include "core/base/check.h"
#include "io/result/result_parts.h"
#include "io/result/result_reader.h"
#include "tests/fuzz/reader_fuzz.h"
#include "tests/fuzz/results/hdf5_edits.h"
#include "tests/fuzz/results/result_commands.h"

namespace heddle {
namespace {

constexpr std::size_t kMostEdits = 8;
const Refusal kRefusal = {"", /*remedy=*/false, /*usage=*/false, 1500};

bool CheckTotals() {
  return Accepts(kRefusal, [] {
    if (ReadTotals(InScratch("fuzz.h5")).logs == 0) Complain("totals without logs");
  });
}

bool Check(const std::string& input) {
  if (input.size() < 2) return false;
  const std::size_t which = static_cast<unsigned char>(input[0]) % SoundResults().size();
  const bool totals = which == kTotalsFile;
  const std::string path = totals ? TotalsPath(InScratch("fuzz.h5")) : InScratch("fuzz.h5");
  PutBytes(InScratch("made.h5"), SoundResults()[totals ? 0 : which]);
  PutBytes(path, SoundResults()[which]);
  EditHdf5(path, std::string_view(input).substr(2), kMostEdits);
  if (totals) return CheckTotals();
  const bool valid = Accepts(kRefusal, [&] { ResultCommands()[0](path); });
  Accepts(kRefusal, [&] {
    const ResultReader reader(path);
    for (const std::string& table : reader.TableNames())
      Accepts(kRefusal, [&] { reader.ReadTable(table); });
  });
  const ResultCommand& command =
      ResultCommands()[static_cast<unsigned char>(input[1]) % ResultCommands().size()];
  const bool taken = Accepts(kRefusal, [&] { command(path); });
  const auto lacks = [](const char* what) { return LastRefusal().find(what) != std::string::npos; };
  if (valid && !taken && !lacks("no table") && !lacks("no requests")) {
    Complain("a result that is valid, and refused: " + LastRefusal());
  }
  return taken;
}

std::string Make(Mutator* mutator) {
  std::string input;
  for (std::size_t i = 2 + 4 * (1 + mutator->Below(4)); i > 0; --i)
    input += static_cast<char>(mutator->Below(256));
  return input;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "result";
  reader.check = &Check;
  reader.make = &Make;
  for (std::size_t command = 0; command < ResultCommands().size(); ++command) {
    for (char which = 0; which < 2; ++which)
      reader.seeds.push_back({which, static_cast<char>(command)});
  }
  for (char action = 0; action < 12; ++action) {
    const char which = static_cast<char>(action % 3), command = static_cast<char>(12 + action % 5);
    reader.seeds.push_back({which, command, action, 0, static_cast<char>(7 * action), 1});
  }
  SoundResults();
  return reader;
}

}  // namespace heddle
