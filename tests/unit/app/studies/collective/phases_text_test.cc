// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/collective/phases_text.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "core/options/enum_words.h"

namespace heddle {
namespace {

PhasesRequest RequestOf(const std::string& layout, std::uint32_t ranks, const char* form) {
  PhasesRequest request;
  request.spec.operation = Operation::kAllReduce;
  request.spec.bytes = 1 << 20;
  request.options.layout = layout;
  request.options.collectives = *FindWord<PhasedOptions::Form>(form);
  request.options.algorithm = "ring";
  request.options.splits = 1;
  request.ranks = ranks;
  return request;
}

TEST(PhasesText, TheHeadCountsBytesByDimension) {
  // ASTRA-SIM (ISPASS 2020), section V-B: 36/8 N on 4 x 4 x 4, a fourth between packages.
  EXPECT_EQ(PhasesHead(RequestOf("4x4x4", 64, "baseline")),
            "operation   ALLREDUCE of 1048576 bytes over 64 ranks in 4x4x4 (baseline)\n"
            "chunks      1, each in 3 phases\nmessages    1152 of all ranks\n"
            "dimension 0 4 ranks, 1572864 bytes sent by rank 0\n"
            "dimension 1 4 ranks, 1572864 bytes sent by rank 0\n"
            "dimension 2 4 ranks, 1572864 bytes sent by rank 0\n\n");
  const std::string enhanced = PhasesHead(RequestOf("4x4x4", 64, "enhanced"));
  EXPECT_NE(enhanced.find("dimension 1 4 ranks, 393216 bytes"), std::string::npos) << enhanced;
}

TEST(PhasesText, ListsWhatARankSends) {
  PhasesRequest request = RequestOf("2x3", 6, "enhanced");
  request.rank = 1;
  EXPECT_EQ(PhasesMessages(request, true),
            "phase,operation,algorithm,dimension,message,to,bytes,received\n"
            "0,REDUCESCATTER,ring,0,0,0,524288,0\n"
            "1,ALLREDUCE,ring,1,0,3,174762,0\n1,ALLREDUCE,ring,1,1,3,174762,1\n"
            "1,ALLREDUCE,ring,1,2,3,174762,2\n1,ALLREDUCE,ring,1,3,3,174762,3\n"
            "2,ALLGATHER,ring,0,0,0,524288,0\n");
  request.options.algorithm = "oneDirect";
  EXPECT_EQ(PhasesMessages(request, true).substr(0, 111),
            "phase,operation,algorithm,dimension,message,to,bytes,received\n"
            "0,ALLREDUCE,direct,0+1,0,2,174762,0\n0,ALLREDUCE,d");
}

TEST(PhasesText, DimensionsAreThoseOfTheRanks) {
  const auto refusal = [](const char* layout) {
    try {
      PhasesHead(RequestOf(layout, 8, "baseline"));
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal("2x4"), "accepted");
  EXPECT_EQ(refusal("2x3"), "phases.dimensions: 2x3 are 6 GPUs. Expected: 8, as there are");
  EXPECT_EQ(refusal("2x"),
            "phases.dimensions: found '2x'. Expected: sizes such as 2x4x4, or fabric");
  EXPECT_EQ(refusal("fabric").substr(0, 32), "phases.dimensions: found 'fabric");
}

}  // namespace
}  // namespace heddle
