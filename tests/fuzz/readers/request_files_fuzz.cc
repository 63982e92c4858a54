// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the readers of request traces.
#include "io/serving/request_files.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "requests";

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    const RequestFile file = ParseRequests(text, kFile);
    if (file.requests.empty()) Complain("a trace of nothing");
    Time previous;
    for (const ServingRequest& request : file.requests) {
      if (request.arrival < previous) Complain("time goes backwards");
      previous = request.arrival;
      const bool fits = request.input > 0 && request.output > 0 && request.input <= kMostTokens &&
                        request.output <= kMostTokens;
      if (!fits) Complain("a number of tokens out of range");
      if (request.blocks.size() > request.input / kPromptBlockTokens)
        Complain("more blocks than the prompt has");
    }
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "request_files";
  reader.check = &Check;
  reader.words = {"\"timestamp\"",
                  "\"input_length\"",
                  "\"output_length\"",
                  "\"hash_ids\"",
                  "{",
                  "}",
                  "[",
                  "]",
                  ":",
                  ",",
                  "-1",
                  "0",
                  "100000000",
                  "18446744073709551615",
                  "1e3",
                  "TIMESTAMP",
                  "ContextTokens",
                  "GeneratedTokens",
                  "2023-11-16 18:17:03.9799600",
                  "2024-02-29 00:00:00+00:00",
                  "Timestamp",
                  "Session ID",
                  "Elapsed time",
                  "Model",
                  "Request tokens",
                  "Response tokens",
                  "Total tokens",
                  "Log Type",
                  "8726400.5"};
  reader.seeds = {
      "{\"timestamp\": 3000, \"input_length\": 1100, \"output_length\": 20, \"hash_ids\": [0, 1, "
      "7]}\n{\"timestamp\": 6000, \"input_length\": 5, \"output_length\": 1, \"hash_ids\": []}\n",
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 23:59:59.9000000,4808,10\r\n2023-11-17 "
      "00:00:00.0000001,110,27\n",
      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log "
      "Type\n12.0,3,4.1,GPT-4,512,128,640,API log\n13.25,3,4.1,GPT-4,12,0,12,API log\n",
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log "
      "Type\n5,ChatGPT,1,2,3,Conversation log\n"};
  return reader;
}

}  // namespace heddle
