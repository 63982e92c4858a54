// SPDX-License-Identifier: GPL-2.0-only
/// Writes protobuf's wire format by hand, for tests of what reads it with protobuf's library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::testing {

/// Seven bits a byte, the lowest first.
inline std::string Varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<char>(number | 0x80));
  bytes.push_back(static_cast<char>(number));
  return bytes;
}

/// A field of a varint.
inline std::string WholeField(int number, std::uint64_t value) {
  return Varint(static_cast<std::uint64_t>(number) << 3) + Varint(value);
}

/// A field of bytes: a text or a message.
inline std::string BytesField(int number, const std::string& bytes) {
  return Varint(static_cast<std::uint64_t>(number) << 3 | 2) + Varint(bytes.size()) + bytes;
}

/// A field of four or eight bytes, little endian.
inline std::string FixedField(int number, std::uint64_t value, int bytes) {
  std::string text = Varint(static_cast<std::uint64_t>(number) << 3 | (bytes == 8 ? 1 : 5));
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
  return text;
}

/// An attribute (field 10) of a node; `value`: the field of its value.
inline std::string Attribute(const std::string& name, const std::string& value) {
  return BytesField(10, BytesField(1, name) + value);
}
/// The same with an int64.
inline std::string Attribute(const std::string& name, std::int64_t value) {
  return Attribute(name, WholeField(9, static_cast<std::uint64_t>(value)));
}

inline std::string NodeHead(std::uint64_t id, int type, const std::string& name = "") {
  return WholeField(1, id) + BytesField(2, name) + WholeField(3, static_cast<std::uint64_t>(type));
}

/// Packed dependencies: field 4 is control, 5 data.
inline std::string Dependencies(int field, const std::vector<std::uint64_t>& ids) {
  std::string packed;
  for (const std::uint64_t id : ids) packed += Varint(id);
  return ids.empty() ? "" : BytesField(field, packed);
}

/// A message behind its length.
inline std::string Framed(const std::string& message) { return Varint(message.size()) + message; }

/// A file: its head with a version, then the nodes.
inline std::string TraceBytes(const std::vector<std::string>& nodes,
                              const std::string& version = "1.0.0") {
  std::string bytes = Framed(BytesField(1, version));
  for (const std::string& node : nodes) bytes += Framed(node);
  return bytes;
}

}  // namespace heddle::testing
