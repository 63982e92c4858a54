// SPDX-License-Identifier: GPL-2.0-only
#include "io/result_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/check.h"
#include "core/options.h"
#include "io/hdf5_handle.h"
#include "io/hdf5_read.h"
#include "io/hdf5_write.h"
#include "io/result_format.h"

namespace heddle {
namespace {

/// Deflate reaches at most 1032:1; no dataset of ours can have more rows than this times the bytes.
constexpr std::uint64_t kMaxRowsPerByte = 1100;

}  // namespace

/// The open file; the constructor leaves only files that are results of a version we can read.
class ResultReader::File {
 public:
  explicit File(const std::string& path) : check_(path, Hdf5Check::Blame::kInput) {
    SilenceHdf5();
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    if (error) {
      FailInput({path, 0}, fmt::format("cannot be read ({})", error.message()), "a result file");
    }
    max_rows_ = bytes * kMaxRowsPerByte;
    file_ = Hdf5File(
        check_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open it as an HDF5 file"));
    CheckFormat();
  }

  hid_t id() const { return file_.get(); }
  const Hdf5Check& check() const { return check_; }
  std::uint64_t max_rows() const { return max_rows_; }

 private:
  void CheckFormat() const {
    if (ReadTextAttribute(check_, id(), "filetype") != kResultFileType) {
      FailInput({check_.path(), 0}, "an HDF5 file, but not a result of heddle",
                fmt::format("the root attribute filetype to be '{}'", kResultFileType));
    }
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
  std::uint64_t max_rows_ = 0;
};

ResultReader::ResultReader(const std::string& path) : file_(std::make_unique<File>(path)) {}

ResultReader::~ResultReader() = default;

std::vector<std::string> ResultReader::TableNames() const {
  return ListTables(file_->check(), file_->id());
}

bool ResultReader::HasTable(const std::string& name) const {
  const std::vector<std::string> names = TableNames();
  return std::binary_search(names.begin(), names.end(), name);
}

Table ResultReader::ReadTable(const std::string& name) const {
  const Hdf5Check& check = file_->check();
  const Hdf5Group group(H5Gopen2(file_->id(), name.c_str(), H5P_DEFAULT));
  if (!group.valid()) {
    const std::string nearest = Nearest(name, TableNames());
    FailInput({check.path(), 0}, fmt::format("no table '{}'", name),
              nearest.empty() ? "a result with tables"
                              : fmt::format("a table of the result; the nearest is {}", nearest));
  }
  Table table;
  table.name = name;
  table.description = ReadTextAttribute(check, group.get(), "description");
  for (const std::string& column : ListColumns(check, group.get(), name)) {
    table.columns.push_back(ReadColumn(check, group.get(), column, file_->max_rows()));
    if (RowCount(table.columns.back()) != RowCount(table.columns.front())) {
      FailInput({check.path(), 0},
                fmt::format("column {} of table {} has {} rows, column {} has {}", column, name,
                            RowCount(table.columns.back()), table.columns.front().name,
                            RowCount(table.columns.front())),
                "equally long columns");
    }
  }
  return table;
}

namespace {

std::vector<Attribute> AttributesOf(const Hdf5Check& check, hid_t object) {
  std::vector<Attribute> attributes;
  for (const std::string& name : AttributeNames(check, object)) {
    if (auto attribute = ReadAttribute(check, object, name)) attributes.push_back(std::move(*attribute));
  }
  return attributes;
}

}  // namespace

std::vector<Attribute> ResultReader::ReadAttributes() const {
  return AttributesOf(file_->check(), file_->id());
}

std::vector<Attribute> ResultReader::ReadGroupAttributes(const std::string& group) const {
  const Hdf5Group opened(H5Gopen2(file_->id(), group.c_str(), H5P_DEFAULT));
  return opened.valid() ? AttributesOf(file_->check(), opened.get()) : std::vector<Attribute>();
}

bool ResultReader::complete() const {
  const std::vector<int> value = ReadIntegers(file_->check(), file_->id(), "complete");
  return value.size() == 1 && value[0] == 1;
}

}  // namespace heddle
