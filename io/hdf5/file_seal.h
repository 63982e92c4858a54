// SPDX-License-Identifier: GPL-2.0-only
/// The seal of a finished HDF5 file: its last bytes, after the end of HDF5's own data, hold a
/// checksum of all bytes before. It is checked before libhdf5 sees the file, because libhdf5
/// crashes on some damaged files and reads others endlessly (seen with 1.10.8).
///
/// A seal is kSealMark and the CRC-32 (zlib's) of everything before the checksum, little-endian.
/// CRC-32 detects every single flipped bit, and Python's standard library has it. HDF5 ignores
/// bytes after its data. A program that opens the file for writing truncates them, so a changed
/// file has no seal. A seal is no signature: whoever makes a file can seal it.
#pragma once

#include <cstddef>
#include <string>

namespace heddle {

constexpr char kSealMark[8] = {'h', 'd', 'd', 'l', 's', 'e', 'a', 'l'};
constexpr std::size_t kSealBytes = sizeof kSealMark + 4;

enum class SealState {
  kSound,
  kMissing,     ///< the file does not end with a seal
  kBroken,      ///< it does, and its bytes have another checksum
  kNoHdf5,      ///< the file does not begin as HDF5 does
  kUnreadable,  ///< errno has the reason
};

/// Reads the whole file, which is gigabytes a second where it is cached.
SealState ReadSeal(const std::string& path);

/// Seals the file. False with errno if it cannot be read or written.
bool AppendSeal(const std::string& path);

}  // namespace heddle
