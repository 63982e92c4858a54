// SPDX-License-Identifier: GPL-2.0-only
/// Byte format of a row log, to which a rank appends during its run (RESULT.part.rankN), and of its
/// sorted form.
///
/// A log is kRowLogStart, followed by blocks: each a BlockHeader and its payload. Payloads:
///
///   table   JSON: name, description, keys, columns (name, unit, description, type); its number is
///           that of the tables before it
///   rows    the columns of the table, each as little-endian values one after another. Of a column
///           of integers first their width in this block (u8: 1, 2, 4 or 8 bytes, unsigned; a
///           negative value has 8); of a text column first the lengths (u32) of all its texts and
///           then their bytes
///   commit  number (u64), simulated time in ps (i64): all rows before it count
///
/// A block is complete if its checksum is correct. Bytes after the last complete commit are
/// ignored: a killed writer may leave an incomplete block there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"

namespace heddle {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "row logs are written as they lie in memory");

/// First bytes of every log; the last one is the version of this format.
constexpr char kRowLogStart[8] = {'h', 'd', 'd', 'l', 'l', 'o', 'g', '\2'};

enum class LogBlockKind : std::uint32_t { kTable = 1, kRows = 2, kCommit = 3 };

struct BlockHeader {
  std::uint32_t magic;  ///< kBlockMagic
  LogBlockKind kind;
  std::uint32_t table;     ///< number of the table; 0 in a commit
  std::uint32_t run;       ///< rows: number of the sorted run, from 1; 0: in any order
  std::uint64_t rows;      ///< number of rows; 0 for other kinds
  std::uint64_t bytes;     ///< of the payload
  std::uint64_t checksum;  ///< Checksum() of the fields above and the payload
};
static_assert(sizeof(BlockHeader) == 40);
constexpr std::uint32_t kBlockMagic = 0x6b6c6268;  // "hblk"

struct CommitPayload {
  std::uint64_t number;
  std::int64_t time_ps;
};
static_assert(sizeof(CommitPayload) == 16);

/// Most rows of a block, and most bytes of a table's description: bounds on the memory that a
/// damaged log can make its reader allocate beyond the log's size.
constexpr std::size_t kMaxBlockRows = 65536;
constexpr std::size_t kMaxTableBytes = std::size_t{1} << 20;

/// A table of a log: columns without rows, and the integer columns by which its rows are sorted.
struct LoggedTable {
  Table header;
  std::vector<std::string> keys;
};

/// XXH3, 64 bits, of a header (without its own checksum) and its payload.
std::uint64_t Checksum(const BlockHeader& header, const void* payload);

/// Returns the JSON of a table block: keys and columns, no rows.
std::string EncodeTable(const LoggedTable& table);
/// Returns a text about the error, or an empty one: text that does not describe a table, a name
/// that cannot be a dataset's, a key that is no integer column.
std::string DecodeTable(const std::string& text, LoggedTable* table);

/// Appends `count` rows of `rows`, from row `first` on, to `payload`.
void EncodeRows(const Table& rows, std::size_t first, std::size_t count,
                std::vector<char>* payload);
/// Decodes `count` rows of a table with the columns of `header`. False if the payload does not have
/// exactly that size, or a text contains a zero byte.
bool DecodeRows(const char* payload, std::size_t bytes, std::size_t count, const Table& header,
                Table* rows);

}  // namespace heddle
