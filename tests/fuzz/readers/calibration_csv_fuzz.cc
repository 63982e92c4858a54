// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of calibrations: what it accepts it writes and reads again, and prices of
/// it are numbers.
#include <cmath>

#include "collectives/calibration/calibration.h"
#include "io/input/calibration_csv.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.calibration";

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    const std::vector<CalibrationRow> rows = ParseCalibration(text, kFile);
    if (rows.empty() || rows.size() > text.size()) Complain("no rows, or more than bytes");
    const std::string written = CalibrationText(rows, {"note"});
    const std::vector<CalibrationRow> again = ParseCalibration(written, kFile);
    if (again.size() != rows.size() || CalibrationText(again, {"note"}) != written)
      Complain("another calibration when written and read again");
    const Calibration calibration(rows);
    for (const CalibrationRow& row : rows) {
      const auto factor = calibration.Factor(row.kind, static_cast<double>(row.bytes));
      if (!factor || !std::isfinite(*factor) || *factor <= 0)
        Complain("no factor of a kind that it has");
    }
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "calibration_csv";
  reader.check = &Check;
  reader.words = {"ALLREDUCE", "SENDRECV", "RING", "TREE",   "NVLS_TREE", "LL128", "SIMPLE",
                  "NONE",      "#",        ",",    "1e-300", "nan",       "inf",   "10"};
  reader.seeds = {
      "# heddle calibration 2\n# from a.h5\n"
      "operation,algorithm,protocol,ranks,servers,bytes,time_us,closed_form_us\n"
      "ALLREDUCE,TREE,SIMPLE,64,8,1048576,85.25,80\nALLREDUCE,TREE,SIMPLE,64,8,4194304,120.5,"
      "100\n"
      "SENDRECV,DIRECT,NONE,2,1,1,3,10\n"};
  return reader;
}

}  // namespace heddle
