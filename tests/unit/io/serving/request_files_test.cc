// SPDX-License-Identifier: GPL-2.0-only
#include "io/serving/request_files.h"

#include <gtest/gtest.h>

#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

const std::string kMooncake =
    "{\"timestamp\": 3000, \"input_length\": 1100, \"output_length\": 20, \"hash_ids\": [0, 1, "
    "7]}\n{\"timestamp\": 6000, \"input_length\": 5, \"output_length\": 1, \"hash_ids\": []}\n";
const std::string kAzure =
    "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    "2023-11-16 23:59:59.9000000,4808,10\r\n"
    "2023-11-17 00:00:00.0000001,110,27\n";
const std::string kBurstGpt =
    "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log "
    "Type\n12.0,3,4.1,GPT-4,512,128,640,API log\n13.25,3,4.1,GPT-4,12,0,12,API log\n"
    "14.5,,,ChatGPT,12,1,13,Conversation log\n";

std::string MessageOfRequests(const std::string& text) {
  return MessageOf([&] { ParseRequests(text, "t"); });
}

void ExpectRequest(const ServingRequest& request, Time arrival, std::uint32_t input,
                   std::uint32_t output) {
  EXPECT_EQ(request.arrival, arrival);
  EXPECT_EQ(request.input, input);
  EXPECT_EQ(request.output, output);
}

TEST(RequestFiles, Mooncake) {
  const RequestFile file = ParseRequests(kMooncake, "t");
  EXPECT_EQ(file.format, "Mooncake");
  ASSERT_EQ(file.requests.size(), 2U);
  ExpectRequest(file.requests[0], Time{}, 1100, 20);
  ExpectRequest(file.requests[1], MicroSeconds(3'000'000), 5, 1);
}

// Blocks are full ones, and equal if all before them are: 7 behind 0 is another than 7 behind 5.
TEST(RequestFiles, BlocksOfPrompts) {
  const std::string first = "{\"timestamp\": 0, \"output_length\": 1, \"input_length\": ";
  const std::vector<std::string> rest = {"1100, \"hash_ids\": [0, 7, 9]}",
                                         "1024, \"hash_ids\": [0, 7]}",
                                         "1024, \"hash_ids\": [5, 7]}", "700}"};
  std::string text;
  for (const std::string& line : rest) text += first + line + "\n";
  const ServingRequests requests = ParseRequests(text, "t").requests;
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(requests[0].blocks.size(), 2U);
  EXPECT_EQ(requests[1].blocks, requests[0].blocks);
  EXPECT_NE(requests[2].blocks[0], requests[0].blocks[0]);
  EXPECT_NE(requests[2].blocks[1], requests[0].blocks[1]);
  EXPECT_TRUE(requests[3].blocks.empty());
  EXPECT_EQ(MessageOfRequests(first + "1100, \"hash_ids\": [0, 7]}\n"),
            "t:1: 2 hash_ids for 1100 tokens. Expected: 3: one for each 512 tokens");
}

// Over midnight, and 100 ns.
TEST(RequestFiles, Azure) {
  const RequestFile file = ParseRequests(kAzure, "t");
  EXPECT_EQ(file.format, "Azure");
  ASSERT_EQ(file.requests.size(), 2U);
  ExpectRequest(file.requests[0], Time{}, 4808, 10);
  ExpectRequest(file.requests[1], NanoSeconds(100'000'100), 110, 27);
  const RequestFile later = ParseRequests(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-02-28 00:00:00.5+00:00,1,1\n"
      "2024-03-01 00:00:00+00:00,1,1\n",
      "t");
  EXPECT_EQ(later.requests[1].arrival, MicroSeconds(2LL * 86'400'000'000 - 500'000));
}

// An answer of 0 tokens failed.
TEST(RequestFiles, BurstGpt) {
  const RequestFile file = ParseRequests(kBurstGpt, "t");
  EXPECT_EQ(file.format, "BurstGPT");
  ASSERT_EQ(file.requests.size(), 2U);
  ExpectRequest(file.requests[1], MicroSeconds(2'500'000), 12, 1);
  ASSERT_EQ(file.warnings.size(), 1U);
  EXPECT_EQ(file.warnings[0], "t: 1 request without a prompt or an answer is left out");
  const RequestFile older = ParseRequests(
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,1,2,3,API "
      "log\n",
      "t");
  EXPECT_EQ(older.requests.size(), 1U);
}

TEST(RequestFiles, MistakesNameTheLine) {
  const std::pair<std::string, std::string> mistakes[] = {
      {"", "t: an empty file. Expected: Mooncake's JSON lines"},
      {"a,b\n", "t:1: \"a,b\". Expected: Mooncake's JSON lines"},
      {kMooncake + "{\"timestamp\": 1, \"input_length\": 1, \"output_length\": 1}",
       "t:3: time goes backwards: -2.999 s after 3 s"},
      {"{\"timestamp\": 1}", "t:1: no input_length"},
      {"{\"timestamp\": 1, \"input_length\": -4, \"output_length\": 1}", "t:1: input_length -4"},
      {"{\"timestamp\": 1.5, \"input_length\": 4, \"output_length\": 1}", "t:1: timestamp 1.5"},
      {"{\"timestamp\": 1, \"input_len\": 4}",
       "t:1: unknown column 'input_len'; the nearest is input_length"},
      {"{\"timestamp\": 1", "t:1: no JSON"},
      {"{\"timestamp\": 1, \"input_length\": 4, \"output_length\": 1, \"hash_ids\": 3}",
       "t:1: hash_ids that are no list"},
      {kAzure + "2023-11-17 00:00:00,1,1\n", "t:4: time goes backwards"},
      {kAzure + "2023-13-17 00:00:00,1,1\n", "t:4: TIMESTAMP \"2023-13-17 00:00:00\""},
      {kAzure + "2023-11-18 00:00:00,-1,1\n",
       "t:4: ContextTokens -1. Expected: a number of tokens"},
      {kAzure + "2023-11-18 00:00:00,1\n", "t:4: 2 columns. Expected: 3"},
      {"TIMESTAMP,ContextTokens\n", "t:1: no column 'GeneratedTokens'"},
      {"TIMESTAMP,ContextTokens,GeneratedToken\n",
       "t:1: unknown column 'GeneratedToken'; the nearest is GeneratedTokens"},
      {"TIMESTAMP,TIMESTAMP\n", "t:1: column 'TIMESTAMP' a second time"},
      {kBurstGpt + "15,3,1,GPT-4,1,1,3,API log\n", "t:5: Total tokens 3. Expected: 2"},
      {kBurstGpt + "x,3,1,GPT-4,1,1,2,API log\n", "t:5: Timestamp \"x\""},
      {"TIMESTAMP,ContextTokens,GeneratedTokens\n", "t: no request with a prompt and an answer"}};
  for (const auto& [text, message] : mistakes)
    EXPECT_EQ(MessageOfRequests(text).substr(0, message.size()), message) << text;
}

TEST(RequestFiles, DamagedTextIsOnlyRefused) {
  for (const std::string& text : {kMooncake, kAzure, kBurstGpt})
    ExpectOnlyErrors(text, [](const std::string& damaged) { ParseRequests(damaged, "t"); });
}

}  // namespace
}  // namespace heddle
