// SPDX-License-Identifier: GPL-2.0-only
#include "io/table_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/check.h"
#include "io/hdf5_handle.h"
#include "io/hdf5_write.h"
#include "io/result_format.h"
#include "io/table_rows.h"

namespace heddle {
namespace {

/// Access to a file whose metadata reaches the disk by H5Fflush and close only, never by eviction
/// from HDF5's cache between: else a kill could leave an index that is half old, half new.
Hdf5Properties StreamAccess(const Hdf5Check& check) {
  const std::string action = "describe the file";
  Hdf5Properties access(check(H5Pcreate(H5P_FILE_ACCESS), action));
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST), action);
  check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), action);
  H5AC_cache_config_t cache;
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  check(H5Pget_mdc_config(access.get(), &cache), action);
  cache.evictions_enabled = false;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  check(H5Pset_mdc_config(access.get(), &cache), action);
  return access;
}

/// One table of the open part file, and rows that are not yet written to it.
class GrowingTable {
 public:
  GrowingTable(const Hdf5Check& check, hid_t file, const Table& rows,
               const std::vector<std::string>& keys)
      : keys_(keys), waiting_(WithoutRows(rows)), last_(waiting_) {
    RowOrder(waiting_, keys_);  // refuses keys that are no columns
    const Hdf5Group group = MakeGroup(check, file, rows.name);
    WriteTextAttribute(check, group.get(), "description", rows.description);
    WriteTextAttribute(check, group.get(), kPartKeysAttribute,
                       fmt::format("{}", fmt::join(keys, " ")));
    for (const Column& column : waiting_.columns) {
      datasets_.push_back(MakeGrowingColumn(check, group.get(), column, kPartBlockRows));
    }
  }

  void Append(const Table& rows) {
    CheckSameColumns(waiting_, rows);
    if (CheckedRows(rows) == 0) return;
    const RowOrder order(rows, keys_);
    const std::vector<std::size_t> sorted = order.Sorted();
    HEDDLE_INVARIANT(
        CheckedRows(last_) == 0 || order.Compare(sorted.front(), RowOrder(last_, keys_), 0) >= 0,
        fmt::format("table {}: a block of rows starts before the end of the one before it",
                    rows.name));
    CopyRows(rows, sorted, &waiting_);
    last_ = WithoutRows(rows);
    CopyRows(rows, {sorted.back()}, &last_);
  }

  bool full() const { return RowCount(waiting_.columns.front()) >= kPartBlockRows; }

  void Write(const Hdf5Check& check) {
    const std::size_t count = CheckedRows(waiting_);
    if (count == 0) return;
    for (std::size_t i = 0; i < datasets_.size(); ++i) {
      AppendRows(check, datasets_[i], waiting_.columns[i], rows_);
    }
    rows_ += count;
    waiting_ = WithoutRows(waiting_);
  }

 private:
  std::vector<std::string> keys_;
  Table waiting_;
  Table last_;  ///< the last row of the last block; none before the first
  std::vector<Hdf5Dataset> datasets_;
  std::uint64_t rows_ = 0;
};

}  // namespace

/// The open part file.
class TableStream::File {
 public:
  explicit File(const std::string& path) : check_(path, Hdf5Check::Blame::kOutput) {
    SilenceHdf5();
    const Hdf5Properties access = StreamAccess(check_);
    file_ = Hdf5File(check_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                            "create the file"));
    WriteTextAttribute(check_, file_.get(), "filetype", kPartFileType);
    WriteIntegers(check_, file_.get(), "format_version", {kResultFormatMajor, kResultFormatMinor});
  }
  /// Rows that wait are written even on the way out of an error, as far as that is possible.
  ~File() {
    if (!file_.valid()) return;
    try {
      Flush();
    } catch (const Error&) {
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void Append(const Table& rows, const std::vector<std::string>& keys) {
    auto table = tables_.find(rows.name);
    if (table == tables_.end()) {
      table = tables_.try_emplace(rows.name, check_, file_.get(), rows, keys).first;
    }
    table->second.Append(rows);
    if (table->second.full()) table->second.Write(check_);
  }

  void Flush() {
    for (auto& [name, table] : tables_) table.Write(check_);
    check_(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "write the last rows");
  }

  void Close() {
    Flush();
    tables_.clear();
    if (file_.Close() < 0) check_.Fail("write the last rows");
  }

 private:
  Hdf5Check check_;
  Hdf5File file_;
  std::map<std::string, GrowingTable> tables_;
};

TableStream::TableStream(const std::string& result, std::uint32_t rank, StreamKeys keys)
    : path_(StreamPartPath(result, rank)), keys_(std::move(keys)) {}

TableStream::~TableStream() = default;

void TableStream::Append(const Table& rows) {
  HEDDLE_INVARIANT(!closed_, "rows of table " + rows.name + " come after the part file was closed");
  const auto keys = keys_.find(rows.name);
  HEDDLE_INVARIANT(keys != keys_.end() && !keys->second.empty() && !rows.columns.empty(),
                   "table " + rows.name + " has no columns, or no keys that order its rows");
  if (file_ == nullptr) file_ = std::make_unique<File>(path_);
  file_->Append(rows, keys->second);
}

void TableStream::Flush() {
  if (file_ != nullptr && !closed_) file_->Flush();
}

void TableStream::Close() {
  if (file_ != nullptr && !closed_) file_->Close();
  closed_ = true;
}

bool TableStream::started() const { return file_ != nullptr; }

std::string StreamPartPath(const std::string& result, std::uint32_t rank) {
  return fmt::format("{}.part.rank{}", result, rank);
}

void RemoveStreams(const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (std::remove(part.c_str()) != 0) {
      throw FileError(
          fmt::format("{}: cannot be deleted ({}). The result is whole; delete it by hand", part,
                      std::strerror(errno)));
    }
  }
}

}  // namespace heddle
