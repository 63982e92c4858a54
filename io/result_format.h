// SPDX-License-Identifier: GPL-2.0-only
/// Constants of the result file. docs/formats/result.md describes them and changes with them.
#ifndef HEDDLE_IO_RESULT_FORMAT_H_
#define HEDDLE_IO_RESULT_FORMAT_H_

#include <cstddef>

namespace heddle {

/// Root attribute `filetype` of every result.
constexpr const char* kResultFileType = "heddle result";

/// Root attribute `format_version`. A reader accepts its own major version only; the minor version
/// grows when something is added that old readers may ignore.
constexpr int kResultFormatMajor = 1;
constexpr int kResultFormatMinor = 3;

/// Rows a chunk of a dataset has at most.
constexpr unsigned long long kResultChunkRows = 65536;
constexpr unsigned kResultDeflateLevel = 4;

/// Root attribute `filetype` of a rank's part file (io/table_stream.h), and the attribute of its
/// tables that names the columns that order the rows.
constexpr const char* kPartFileType = "heddle part";
constexpr const char* kPartKeysAttribute = "keys";
/// Rows that a rank keeps before it writes them, that a chunk of its file has, and that a merge
/// reads at once.
constexpr std::size_t kPartBlockRows = 8192;

}  // namespace heddle

#endif  // HEDDLE_IO_RESULT_FORMAT_H_
