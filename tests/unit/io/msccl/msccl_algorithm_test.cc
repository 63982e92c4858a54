// SPDX-License-Identifier: GPL-2.0-only
#include "io/msccl/msccl_algorithm.h"

#include <gtest/gtest.h>

#include <string>

#include "collectives/custom/custom_proof.h"
#include "core/base/check.h"

namespace heddle {
namespace {

/// Two GPUs that send each other all, and add.
const char* const kExchange = R"(<algo name="exchange" nchannels="1" nchunksperloop="2" proto="LL"
  ngpus="2" coll="allreduce" inplace="0" redop="sum">
  <gpu id="0" i_chunks="2" o_chunks="2" s_chunks="2">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rrc" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="2" depid="1" deps="0" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="-1" chan="0">
      <step s="0" type="nop" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="0" depid="-1" deps="-1" hasdep="1"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="2" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rrc" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)";

std::string With(const std::string& from, const std::string& to) {
  std::string text = kExchange;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string ErrorOf(const std::string& text) {
  try {
    ParseMscclAlgorithm(text, "x.xml");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(MscclAlgorithm, ReadsAFile) {
  const CustomAlgorithm algorithm = ParseMscclAlgorithm(kExchange, "x.xml");
  EXPECT_EQ(algorithm.name, "exchange");
  EXPECT_EQ(algorithm.operation, Operation::kAllReduce);
  EXPECT_EQ(algorithm.protocol, Protocol::kLl);
  EXPECT_FALSE(algorithm.in_place);
  EXPECT_EQ(algorithm.chunks, 2U);
  ASSERT_EQ(algorithm.gpus.size(), 2U);
  EXPECT_EQ(algorithm.gpus[0].scratch, 2U);
  ASSERT_EQ(algorithm.gpus[0].blocks.size(), 2U);
  const CustomBlock& block = algorithm.gpus[0].blocks[0];
  EXPECT_EQ(block.to, 1U);
  EXPECT_EQ(block.from, 1U);
  ASSERT_EQ(block.steps.size(), 2U);
  EXPECT_EQ(block.steps[1].kind, CustomStep::Kind::kReceiveReduceCopy);
  EXPECT_EQ(block.steps[1].destination.buffer, CustomChunks::Buffer::kOutput);
  EXPECT_EQ(block.steps[1].count, 2U);
  EXPECT_EQ(block.steps[1].wait_block, 1U);
  EXPECT_EQ(block.steps[1].wait_step, 0U);
  EXPECT_EQ(block.steps[0].wait_block, CustomStep::kNone);
  EXPECT_EQ(algorithm.gpus[0].blocks[1].to, CustomBlock::kNobody);
  ProveCustom(algorithm);
}

TEST(MscclAlgorithm, KnowsAllWords) {
  for (const char* word : {"reduce_scatter", "reducescatter", "AllGather", "alltoall"})
    EXPECT_EQ(ErrorOf(With("coll=\"allreduce\"", std::string("coll=\"") + word + "\"")), "");
  for (const char* word : {"Simple", "LL128"})
    EXPECT_EQ(ErrorOf(With("proto=\"LL\"", std::string("proto=\"") + word + "\"")), "");
  for (const char* word : {"r", "rcs", "rrs", "rrcs", "cpy", "re"})
    EXPECT_EQ(ErrorOf(With("type=\"rrc\"", std::string("type=\"") + word + "\"")), "");
}

TEST(MscclAlgorithm, NamesWhatIsWrong) {
  struct {
    const char *from, *to, *part;
  } constexpr kCases[] = {
      {"coll=\"allreduce\"", "coll=\"broadcast\"", "element algo: coll=\"broadcast\""},
      {"ngpus=\"2\"", "ngpus=\"3\"", "element algo: 2 elements gpu. Expected: 3"},
      {"gpu id=\"1\"", "gpu id=\"0\"", "element algo: two elements gpu with id 0"},
      {"ngpus=\"2\"", "ngpus=\"two\"", "ngpus=\"two\""},
      {"nchunksperloop=\"2\"", "nchunksperloop=\"0\"", "nchunksperloop=\"0\""},
      {"type=\"rrc\"", "type=\"x\"", "GPU 0, thread block 0, step 1: type=\"x\""},
      {"srcbuf=\"i\"", "srcbuf=\"z\"", "GPU 0, thread block 0, step 0: srcbuf=\"z\""},
      {"step s=\"1\"", "step s=\"2\"", "step 1: s=\"2\". Expected: steps in order, from 0"},
      {"depid=\"1\"", "depid=\"-1\"", "one of depid and deps is -1"},
      {"tb id=\"1\"", "tb id=\"0\"", "GPU 0: two elements tb with id 0"},
      {"<algo", "<alga", "x.xml"},
  };
  for (const auto& [from, to, part] : kCases) {
    const std::string error = ErrorOf(With(from, to));
    EXPECT_NE(error.find(part), std::string::npos) << "'" << error << "' has no '" << part << "'";
  }
}

}  // namespace
}  // namespace heddle
