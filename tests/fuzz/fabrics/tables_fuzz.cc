// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of forwarding tables: accepted tables, written and read again, are the
/// same; following them ends.
#include "tests/fuzz/reader_fuzz.h"
#include "tests/support/small_networks.h"
#include "topology/tables/table_check.h"
#include "topology/tables/table_makers.h"
#include "topology/tables/tables_file.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";

const Graph& Network() {
  static const Graph graph = testing::TwoLevelTree(3, 2, 2, 2);
  return graph;
}

bool Check(const std::string& text) {
  const bool accepted = Accepts({kFile}, [&] {
    const ForwardingTables tables = ParseTables(text, kFile, Network());
    const std::string once = TablesText(tables);
    if (TablesText(ParseTables(once, "again.txt", Network())) != once)
      Complain("tables that are not the same when they are written and read");
    CheckTables(Network(), tables);
  });
  if (!accepted && !NamesLine(LastRefusal(), kFile, text))
    Complain("no line in the message: " + LastRefusal());
  return accepted;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "tables";
  reader.check = &Check;
  reader.words = {"heddle-tables", "1", "6", "11", "0", "5", "7", "10", "65535", "4294967295"};
  reader.seeds = {TablesText(MinHopTables(Network())), TablesText(DModKTables(Network())),
                  TablesText(ForwardingTables(Network()))};
  return reader;
}

}  // namespace heddle
