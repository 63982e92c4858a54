// SPDX-License-Identifier: GPL-2.0-only
/// Constants of the result file, described in docs/formats/result.md; change both together.
#pragma once

namespace heddle {

/// What a result is of.
enum class ResultContent {
  kRun,         ///< a simulated run (docs/formats/result.md)
  kCongestion,  ///< static congestion (docs/formats/congestion.md)
};

/// Root attribute `filetype` of every result.
constexpr const char* kResultFileType = "heddle result";
constexpr const char* kCongestionFileType = "heddle congestion";
/// Returns the value of the root attribute `filetype`.
constexpr const char* FileTypeOf(ResultContent content) {
  return content == ResultContent::kRun ? kResultFileType : kCongestionFileType;
}

/// The group about the execution of the run (ranks, times, hosts), not about its results.
constexpr const char* kRunGroup = "run";

/// Root attribute `format_version`, with ResultFormatMinor() (io/schema/result_schema.h). A reader
/// accepts its own major version only.
constexpr int kResultFormatMajor = 3;

/// Most rows of a dataset's chunk; then the level in its filter pipeline (ignored by readers).
constexpr unsigned long long kResultChunkRows = 65536;
constexpr unsigned kResultDeflateLevel = 4;

}  // namespace heddle
