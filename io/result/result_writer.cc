// SPDX-License-Identifier: GPL-2.0-only
#include "io/result/result_writer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/base/check.h"
#include "core/mpi/communicator.h"
#include "core/system/durable_file.h"
#include "core/system/new_file.h"
#include "io/hdf5/chunk_pool.h"
#include "io/hdf5/file_seal.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_write.h"
#include "io/hdf5/table_datasets.h"
#include "io/result/output_path.h"
#include "io/schema/result_schema.h"
#include "io/table/result_format.h"
#include "io/table/table_rows.h"

namespace heddle {

/// The open file PATH.part.
class ResultWriter::File {
 public:
  File(const std::string& path, ChunkPool* pool)
      : path_(path),
        part_(path + ".part"),
        check_(part_, Hdf5Check::Blame::kOutput),
        alone_(serial_),
        pool_(pool == nullptr ? &alone_ : pool) {
    SetUpHdf5();
    const Hdf5Properties access(check_(H5Pcreate(H5P_FILE_ACCESS), "describe the file"));
    // HDF5 1.10's structures: indices of chunks are a tenth as large as those of before, and an
    // attribute may have more than 64 KiB.
    check_(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_LATEST),
           "describe the file");
    check_(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "describe the file");
    const Hdf5Properties creation(check_(H5Pcreate(H5P_FILE_CREATE), "describe the file"));
    check_(H5Pset_obj_track_times(creation.get(), false), "describe the file");
    if (!RemoveLeftOver(part_))
      check_.Fail(fmt::format("replace the file ({})", std::strerror(errno)));
    const hid_t file = H5Fcreate(part_.c_str(), H5F_ACC_EXCL, creation.get(), access.get());
    if (file < 0) FailAndRemove("create the file");
    file_ = Hdf5File(file);
  }
  ~File() {
    if (!file_.valid()) return;
    file_.Close();
    std::remove(part_.c_str());
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  hid_t id() const { return file_.get(); }
  const Hdf5Check& check() const { return check_; }
  ChunkPool* pool() const { return pool_; }

  /// The group of a table.
  Hdf5Group MakeTable(const Table& table) const {
    Hdf5Group group = MakeGroup(check_, id(), table.name);
    WriteTextAttribute(check_, group.get(), "description", table.description);
    return group;
  }

  void Finish(bool durable) {
    if (file_.Close() < 0) FailAndRemove("write the last data");
    if (!AppendSeal(part_)) FailAndRemove(fmt::format("be sealed ({})", std::strerror(errno)));
    // The result must be on the disk before its sources are deleted.
    if (durable && !SyncFile(part_))
      FailAndRemove(fmt::format("reach the disk ({})", std::strerror(errno)));
    if (std::rename(part_.c_str(), path_.c_str()) != 0) {
      FailAndRemove(fmt::format("be renamed to {} ({})", path_, std::strerror(errno)));
    }
    if (durable) SyncFolderOf(path_);
  }

 private:
  [[noreturn]] void FailAndRemove(const std::string& action) {
    std::remove(part_.c_str());
    check_.Fail(action);
  }

  std::string path_;
  std::string part_;
  Hdf5Check check_;
  Hdf5File file_;
  Communicator serial_ = Communicator::Serial();
  ChunkPool alone_;
  ChunkPool* pool_;
};

ResultWriter::ResultWriter(const std::string& path, bool force, ChunkPool* pool,
                           ResultContent content) {
  CheckOutputPath(path, force);
  file_ = std::make_unique<File>(path, pool);
  WriteTextAttribute(file_->check(), file_->id(), "filetype", FileTypeOf(content));
  WriteIntegers(file_->check(), file_->id(), "format_version",
                {kResultFormatMajor, ResultFormatMinor()});
}

ResultWriter::~ResultWriter() = default;

void ResultWriter::Write(const Table& table) {
  HEDDLE_INVARIANT(file_ != nullptr, "table " + table.name + " comes after the result was closed");
  const std::size_t rows = CheckedRows(table);
  const Hdf5Group group = file_->MakeTable(table);
  TableDatasets datasets(file_->check(), group.get(), table, rows, LongestTexts(table),
                         file_->pool());
  if (rows > 0) datasets.Append(table);
  datasets.Finish();
}

void ResultWriter::WriteBlocks(const Table& header, std::uint64_t rows,
                               const std::vector<std::size_t>& text_bytes,
                               const std::function<Table()>& next_block) {
  HEDDLE_INVARIANT(file_ != nullptr, "table " + header.name + " comes after the result was closed");
  const Hdf5Group group = file_->MakeTable(header);
  TableDatasets datasets(file_->check(), group.get(), header, rows, text_bytes, file_->pool());
  for (std::uint64_t written = 0; written < rows;) {
    const Table block = next_block();
    CheckSameColumns(header, block);
    const std::size_t count = CheckedRows(block);
    HEDDLE_INVARIANT(
        count > 0 && count <= rows - written,
        fmt::format("table {}: a block of {} rows, {} were announced and {} came before",
                    header.name, count, rows, written));
    datasets.Append(block);
    written += count;
  }
  datasets.Finish();
}

void ResultWriter::WriteAttributes(const std::vector<Attribute>& attributes) {
  HEDDLE_INVARIANT(file_ != nullptr, "attributes come after the result was closed");
  for (const Attribute& attribute : attributes) {
    WriteAttribute(file_->check(), file_->id(), attribute);
  }
}

void ResultWriter::WriteGroupAttributes(const std::string& group,
                                        const std::vector<Attribute>& attributes) {
  HEDDLE_INVARIANT(file_ != nullptr, "attributes come after the result was closed");
  const Hdf5Group made = OpenOrMakeGroup(file_->check(), file_->id(), group);
  for (const Attribute& attribute : attributes) {
    WriteAttribute(file_->check(), made.get(), attribute);
  }
}

void ResultWriter::Close(bool complete, bool durable) {
  if (file_ == nullptr) return;
  WriteAttribute(file_->check(), file_->id(), {"complete", std::int64_t{complete ? 1 : 0}});
  file_->Finish(durable);
  file_.reset();
}

}  // namespace heddle
