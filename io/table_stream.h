// SPDX-License-Identifier: GPL-2.0-only
/// Tables that grow while the simulation runs: a part file a rank, merged into the result at the
/// end.
///
/// A part file keeps, through a kill of its process, all rows up to the last Flush(): its datasets
/// are not compressed, so rows that were written never move, and HDF5's metadata goes to disk in
/// Flush() only. It is a plain HDF5 file (libver earliest) of the result's layout, for h5dump and
/// h5py; its root attribute `filetype` is `heddle part`, so nobody takes it for a result.
///
/// The rows of the merged tables, and so the bytes of their datasets, do not depend on how many
/// ranks there were or which of them a row came from.
#ifndef HEDDLE_IO_TABLE_STREAM_H_
#define HEDDLE_IO_TABLE_STREAM_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/table.h"
#include "io/result_writer.h"

namespace heddle {

/// Integer columns that order the rows of a table, the time first: {"pfc", {"time_ps", "node",
/// "port"}}. Where they are equal, the other columns decide.
using StreamKeys = std::map<std::string, std::vector<std::string>>;

/// One rank's part file. Functions throw FileError, naming it, when HDF5 or the system refuses.
/// Destroyed without Close(), it leaves a file with all rows that were appended.
class TableStream final {
 public:
  /// Makes no file yet: the first Append does, replacing a left-over one.
  TableStream(const std::string& result, std::uint32_t rank, StreamKeys keys);
  ~TableStream();
  TableStream(const TableStream&) = delete;
  TableStream& operator=(const TableStream&) = delete;

  /// Adds rows, in any order, to the table of this name. The first call of a name makes the table
  /// (with or without rows). Throws InvariantError for a table without keys, for other columns than
  /// before, and for a row that comes before one of an earlier call: time goes on from call to
  /// call.
  void Append(const Table& rows);
  /// Everything that was appended goes to the operating system.
  void Flush();
  /// The last flush; nothing can be appended afterwards.
  void Close();

  /// Whether there is a part file, and its name: RESULT.part.rankN.
  bool started() const;
  const std::string& path() const { return path_; }

 private:
  class File;
  std::string path_;
  StreamKeys keys_;
  std::unique_ptr<File> file_;
  bool closed_ = false;
};

/// The name of a rank's part file.
std::string StreamPartPath(const std::string& result, std::uint32_t rank);

/// Writes the tables of all part files, which must be closed, to `result`, in the order of their
/// names. In memory are a block of rows of every part and one of the result. The part files stay;
/// an error names them.
void MergeStreams(const std::vector<std::string>& parts, ResultWriter* result);

/// Deletes part files, once the result is closed. Throws FileError for one that cannot be deleted.
void RemoveStreams(const std::vector<std::string>& parts);

}  // namespace heddle

#endif  // HEDDLE_IO_TABLE_STREAM_H_
