// SPDX-License-Identifier: GPL-2.0-only
/// Constants of the result file. docs/formats/result.md describes them and changes with them.
#ifndef HEDDLE_IO_TABLE_RESULT_FORMAT_H_
#define HEDDLE_IO_TABLE_RESULT_FORMAT_H_

namespace heddle {

/// Root attribute `filetype` of every result.
constexpr const char* kResultFileType = "heddle result";

/// The group that holds what belongs to the run itself (ranks, times, hosts), not to what it found.
constexpr const char* kRunGroup = "run";

/// Root attribute `format_version`. A reader accepts its own major version only; the minor version
/// grows when something is added that old readers may ignore.
constexpr int kResultFormatMajor = 2;
constexpr int kResultFormatMinor = 1;

/// Rows a chunk of a dataset has at most, and the level in its filter pipeline (readers ignore it).
constexpr unsigned long long kResultChunkRows = 65536;
constexpr unsigned kResultDeflateLevel = 4;

}  // namespace heddle

#endif  // HEDDLE_IO_TABLE_RESULT_FORMAT_H_
