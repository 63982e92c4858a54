// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of MSCCL's algorithms: what is accepted and proved has messages whose
/// parents and children agree, or is refused in words.
#include "collectives/custom/custom_messages.h"
#include "collectives/custom/custom_proof.h"
#include "io/msccl/msccl_algorithm.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.xml";

void CheckMessages(const CustomAlgorithm& algorithm) {
  const CustomMessages messages(algorithm, 2);
  std::uint64_t parents = 0, children = 0;
  for (std::uint32_t c = 0; c < messages.connections().size(); ++c) {
    for (std::uint32_t i = 0; i < messages.count(c); ++i) {
      const CustomMessages::Id id{c, i};
      for (const auto* p = messages.parents_begin(id); p != messages.parents_end(id); ++p) {
        if (messages.connections()[p->connection].destination != messages.connections()[c].source)
          Complain("a message waits for one that does not come to its source");
        ++parents;
      }
      children +=
          static_cast<std::uint64_t>(messages.children_end(id) - messages.children_begin(id));
    }
  }
  if (parents != children) Complain("parents and children differ");
}

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    const CustomAlgorithm algorithm = ParseMscclAlgorithm(text, kFile);
    if (algorithm.CountSteps() > 1000) return;
    ProveCustom(algorithm);
    CheckMessages(algorithm);
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "msccl";
  reader.check = &Check;
  reader.words = {
      "<algo name=\"a\" nchunksperloop=\"2\" proto=\"LL\" ngpus=\"2\" coll=\"allreduce\">",
      "</algo>",
      "<gpu id=\"0\" i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"0\">",
      "</gpu>",
      "<tb id=\"0\" send=\"1\" recv=\"1\" chan=\"0\">",
      "</tb>",
      "<step s=\"0\" type=\"s\" srcbuf=\"i\" srcoff=\"0\" cnt=\"2\"/>",
      "<step s=\"1\" type=\"rrc\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"2\"/>",
      "depid=\"0\" deps=\"0\"",
      "inplace=\"1\"",
      "type=\"cpy\"",
      "type=\"re\"",
      "type=\"rrcs\"",
      "dstbuf=\"s\"",
      "coll=\"alltoall\"",
      "\"-1\"",
      "\"0\"",
      "\"1\""};
  const auto gpu = [](int id) {
    const std::string other = std::to_string(1 - id);
    return "<gpu id=\"" + std::to_string(id) +
           "\" i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"1\"><tb id=\"0\" send=\"" + other +
           "\" recv=\"" + other +
           "\" chan=\"0\"><step s=\"0\" type=\"s\" srcbuf=\"i\" srcoff=\"0\" cnt=\"2\"/>"
           "<step s=\"1\" type=\"rrc\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" "
           "cnt=\"2\"/></tb></gpu>";
  };
  const std::string head =
      "<algo name=\"a\" nchunksperloop=\"2\" proto=\"Simple\" ngpus=\"2\" coll=\"allreduce\">";
  reader.seeds = {head + gpu(0) + gpu(1) + "</algo>\n"};
  return reader;
}

}  // namespace heddle
