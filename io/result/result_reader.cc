// SPDX-License-Identifier: GPL-2.0-only
#include "io/result/result_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "core/base/check.h"
#include "core/options/nearest_name.h"
#include "io/hdf5/file_seal.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_read.h"
#include "io/table/result_format.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

/// Deflate compresses by at most 1032:1; the values of a valid dataset cannot have more bytes than
/// this times those of the file.
constexpr std::uint64_t kMaxExpansion = 1100;

}  // namespace

/// The open file; the constructor throws for files that are no results of a readable version.
class ResultReader::File {
 public:
  /// Without `content` any will do.
  File(const std::string& path, SealRule rule, std::optional<ResultContent> content)
      : check_(path, Hdf5Check::Blame::kInput) {
    SetUpHdf5();
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    if (error) {
      FailInput({path, 0}, fmt::format("cannot be read ({})", error.message()), "a result file");
    }
    max_bytes_ = bytes * kMaxExpansion;
    CheckSeal(rule);
    file_ = Hdf5File(
        check_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open it as an HDF5 file"));
    CheckLinks();
    CheckContent(content);
    CheckVersion();
  }

  ResultContent content() const { return content_; }
  hid_t id() const { return file_.get(); }
  const Hdf5Check& check() const { return check_; }
  std::uint64_t max_bytes() const { return max_bytes_; }

 private:
  void CheckSeal(SealRule rule) const {
    const std::string& path = check_.path();
    switch (ReadSeal(path)) {
      case SealState::kSound:
        return;
      case SealState::kNoHdf5:
        FailInput({path, 0}, "cannot open it as an HDF5 file: it does not begin as one",
                  "a whole result file of heddle");
      case SealState::kUnreadable:
        FailInput({path, 0}, fmt::format("cannot be read ({})", std::strerror(errno)),
                  "a result file");
      case SealState::kBroken:
        FailInput({path, 0}, "damaged: its bytes do not have the checksum at its end",
                  "a result as heddle wrote it; copy it again, or run the simulation again");
      case SealState::kMissing:
        break;
    }
    if (rule == SealRule::kMayBeMissing) return;
    FailInput({path, 0},
              "no seal at its end: cut short, changed by another program (h5repack, h5py), or "
              "written by a heddle before format 3.0",
              "a result as heddle wrote it; heddle validate --reseal checks and seals a changed "
              "one");
  }

  void CheckLinks() const {
    const std::string link = FindLink(check_, id());
    if (link.empty()) return;
    FailInput({check_.path(), 0}, fmt::format("/{} is a link, which may lead to other files", link),
              "tables that are in the result itself");
  }

  void CheckContent(std::optional<ResultContent> wanted) {
    const std::string type = ReadTextAttribute(check_, id(), "filetype");
    if (type != kResultFileType && type != kCongestionFileType) {
      FailInput({check_.path(), 0}, "an HDF5 file, but not a result of heddle",
                fmt::format("the root attribute filetype to be '{}'", kResultFileType));
    }
    content_ = type == kResultFileType ? ResultContent::kRun : ResultContent::kCongestion;
    if (!wanted || *wanted == content_) return;
    if (content_ == ResultContent::kCongestion)
      FailInput({check_.path(), 0}, "static congestion, without a simulated packet",
                "the result of heddle run; heddle report, heddle validate and Python read both");
    FailInput({check_.path(), 0}, "the result of a run", "one of heddle congestion");
  }

  void CheckVersion() const {
    const std::vector<int> version = ReadIntegers(check_, id(), "format_version");
    if (version.size() != 2 || version[0] != kResultFormatMajor) {
      FailInput(
          {check_.path(), 0},
          fmt::format("format version {}",
                      version.empty() ? "unknown" : fmt::format("{}", fmt::join(version, "."))),
          fmt::format("version {}.x; read it with the heddle that wrote it", kResultFormatMajor));
    }
  }

  Hdf5Check check_;
  Hdf5File file_;
  std::uint64_t max_bytes_ = 0;
  ResultContent content_ = ResultContent::kRun;
};

ResultContent ResultReader::ContentOf(const std::string& path, SealRule rule) {
  return File(path, rule, std::nullopt).content();
}

ResultReader::ResultReader(const std::string& path, SealRule rule, ResultContent content)
    : file_(std::make_unique<File>(path, rule, content)) {}

ResultReader::~ResultReader() = default;

std::vector<std::string> ResultReader::TableNames() const {
  return ListTables(file_->check(), file_->id());
}

bool ResultReader::HasTable(const std::string& name) const {
  const std::vector<std::string> names = TableNames();
  return std::binary_search(names.begin(), names.end(), name);
}

/// A group, read as a table.
class ResultReader::OpenTable {
 public:
  OpenTable(const ResultReader& reader, const std::string& name)
      : check_(reader.file_->check()),
        name_(name),
        group_(H5Gopen2(reader.file_->id(), name.c_str(), H5P_DEFAULT)) {
    if (group_.valid()) return;
    const std::vector<std::string> tables = reader.TableNames();
    FailInput({check_.path(), 0}, fmt::format("no table '{}'", name),
              tables.empty() ? "a result with tables"
                             : "a table of the result" + NearestIs(name, tables));
  }

  hid_t id() const { return group_.get(); }
  std::vector<std::string> Columns() const { return ListColumns(check_, group_.get(), name_); }
  Table WithoutColumns() const {
    return {name_, ReadTextAttribute(check_, group_.get(), "description"), {}};
  }
  /// Throws if the table has no such column.
  void ExpectColumn(const std::string& column, const std::vector<std::string>& all) const {
    if (std::find(all.begin(), all.end(), column) != all.end()) return;
    FailInput({check_.path(), 0}, fmt::format("table {} has no column {}", name_, column),
              fmt::format("the columns that docs/formats/result.md gives for {}", name_));
  }
  /// Throws if a column has other than `rows` rows.
  void ExpectRows(const std::string& column, std::uint64_t found, const std::string& first,
                  std::uint64_t rows) const {
    if (found == rows) return;
    FailInput({check_.path(), 0},
              fmt::format("column {} of table {} has {} rows, column {} has {}", column, name_,
                          found, first, rows),
              "equally long columns");
  }

 private:
  const Hdf5Check& check_;
  std::string name_;
  Hdf5Group group_;
};

Table ResultReader::ReadTable(const std::string& name) const {
  const OpenTable open(*this, name);
  Table table = open.WithoutColumns();
  for (const std::string& column : open.Columns()) {
    table.columns.push_back(ReadColumn(file_->check(), open.id(), column, file_->max_bytes()));
    const Column& first = table.columns.front();
    open.ExpectRows(column, RowCount(table.columns.back()), first.name, RowCount(first));
  }
  return table;
}

Table ResultReader::ReadHeader(const std::string& name) const { return ReadRows(name, 0, 0); }

std::uint64_t ResultReader::CountRows(const std::string& name) const {
  const OpenTable open(*this, name);
  const std::vector<std::string> columns = open.Columns();
  if (columns.empty()) return 0;
  const std::uint64_t rows = heddle::CountRows(file_->check(), open.id(), columns.front());
  for (const std::string& column : columns) {
    open.ExpectRows(column, heddle::CountRows(file_->check(), open.id(), column), columns.front(),
                    rows);
  }
  if (rows > file_->max_bytes()) {
    FailInput({file_->check().path(), 0},
              fmt::format("table {} claims {} rows, more than fit into the file", name, rows),
              "a whole result file of heddle");
  }
  return rows;
}

Table ResultReader::ReadRows(const std::string& name, std::uint64_t first, std::uint64_t rows,
                             const std::vector<std::string>& columns) const {
  const OpenTable open(*this, name);
  Table table = open.WithoutColumns();
  const std::vector<std::string> all = open.Columns();
  for (const std::string& column : columns.empty() ? all : columns) {
    open.ExpectColumn(column, all);
    const std::uint64_t there = heddle::CountRows(file_->check(), open.id(), column);
    if (there < first + rows) open.ExpectRows(column, there, "the first", first + rows);
    table.columns.push_back(
        heddle::ReadRows(file_->check(), open.id(), column, first, rows, file_->max_bytes()));
  }
  return table;
}

std::vector<Attribute> ResultReader::ReadAttributes(const std::string& group) const {
  const Hdf5Group open(
      file_->check()(H5Gopen2(file_->id(), group.c_str(), H5P_DEFAULT), "open group " + group));
  std::vector<Attribute> attributes;
  for (const std::string& name : AttributeNames(file_->check(), open.get())) {
    if (auto attribute = ReadAttribute(file_->check(), open.get(), name)) {
      attributes.push_back(std::move(*attribute));
    }
  }
  return attributes;
}

std::vector<std::string> ResultReader::NamesOutsideTables() const {
  const std::vector<std::string> tables = TableNames();
  std::vector<std::string> names;
  for (const Hdf5Object& object : ListObjects(file_->check(), file_->id())) {
    const bool in_table = !object.is_group && object.name.find('/') != std::string::npos;
    if (!in_table && !std::binary_search(tables.begin(), tables.end(), object.name)) {
      names.push_back(object.name);
    }
  }
  return names;
}

bool ResultReader::complete() const {
  const std::vector<int> value = ReadIntegers(file_->check(), file_->id(), "complete");
  return value.size() == 1 && value[0] == 1;
}

}  // namespace heddle
