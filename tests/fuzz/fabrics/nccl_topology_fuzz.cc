// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of NCCL's topologies: what is accepted makes a fabric of all its GPUs,
/// whose links have rates, or is refused in words.
#include "io/nccl/nccl_topology.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.xml";

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    const NcclTopology topology = ParseNcclTopology(text, kFile);
    const Graph graph = MakeNcclGraph(topology, kFile);
    if (graph.gpu_count() != topology.gpus.size()) Complain("GPUs are missing");
    for (const Link& link : graph.links()) {
      if (link.rate.bps <= 0 || link.a == link.b) Complain("a link without a rate, or to itself");
    }
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "nccl_topology";
  reader.check = &Check;
  reader.words = {"<system version=\"1\">",
                  "</system>",
                  "<pci busid=\"a\" class=\"0x030200\">",
                  "</pci>",
                  "<gpu dev=\"0\" sm=\"80\">",
                  "<gpu dev=\"1\" sm=\"90\">",
                  "</gpu>",
                  "<nvlink target=\"a\" count=\"4\" tclass=\"0x030200\"/>",
                  "<nvlink target=\"s\" count=\"2\" tclass=\"0x068000\"/>",
                  "<cpu numaid=\"0\">",
                  "</cpu>",
                  "<nic><net speed=\"100000\"/></nic>",
                  "<!-- -->",
                  "&amp;",
                  "\""};
  const std::string mesh =
      "<system version=\"1\"><cpu><pci busid=\"a\" class=\"0x030200\"><gpu dev=\"0\" sm=\"70\">"
      "<nvlink target=\"b\" count=\"2\" tclass=\"0x030200\"/></gpu></pci>"
      "<pci busid=\"b\" class=\"0x030200\"><gpu dev=\"1\" sm=\"70\">"
      "<nvlink target=\"a\" count=\"2\" tclass=\"0x030200\"/></gpu></pci></cpu></system>\n";
  const std::string switched =
      "<system version=\"1\">\n<pci busid=\"a\"><gpu dev=\"0\" sm=\"90\">"
      "<nvlink target=\"s\" count=\"18\" tclass=\"0x068000\"/></gpu></pci>\n"
      "<pci><nic><net name=\"m\" dev=\"0\" speed=\"400000\"/></nic></pci></system>\n";
  reader.seeds = {mesh, switched};
  return reader;
}

}  // namespace heddle
