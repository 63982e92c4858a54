// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the trace reader: accepted flows, written and read again, must be the same.
#include "io/input/trace_csv.h"
#include "tests/fuzz/reader_fuzz.h"
#include "tests/fuzz/readers/flow_list_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.csv";
constexpr Time kSendLatency = MicroSeconds(6);

void CheckRoundTrip(const std::vector<FlowRequest>& flows) {
  const std::string written = WriteTraceCsv(flows, "again");
  const std::vector<FlowRequest> again = ParseTraceCsv(written, "again.csv", SmallGraph(), Time{});
  if (WriteTraceCsv(again, "again") != written)
    Complain("flows that are not the same when they are written and read");
  for (std::size_t i = 1; i < flows.size(); ++i) {
    if (flows[i].start < flows[i - 1].start) Complain("time goes backwards");
  }
  if (flows.front().start < kSendLatency) Complain("a flow before the send latency");
}

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    const std::vector<FlowRequest> flows = ParseTraceCsv(text, kFile, SmallGraph(), kSendLatency);
    CheckFlows(flows, text);
    CheckRoundTrip(flows);
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "trace_csv";
  reader.check = &Check;
  reader.words = {"timestamp_ns",
                  "src",
                  "dst",
                  "size_bytes",
                  "0",
                  "1",
                  "2",
                  "3",
                  "4",
                  "5",
                  "6",
                  "8",
                  "0.001",
                  "1.0005",
                  "1e3",
                  "9223372036854775.807",
                  "9223372030854775",
                  "1048576",
                  ","};
  reader.seeds = {
      "timestamp_ns,src,dst,size_bytes\n0,0,1,4096\n10.5,1,2,1\n10.5,4,0,100000\n1e6, 3 ,0, "
      "9223372036854775807\n",
      "# a comment\n0,2,0,1\n\n0,3,5,7\r\n"};
  return reader;
}

}  // namespace heddle
