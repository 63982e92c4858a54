// SPDX-License-Identifier: GPL-2.0-only
/// Traces of Chakra from a short text, for tests.
///
/// A line is a node of a rank, or of all ranks: "0: 3 coll ALL_REDUCE 1048576 group 1 after 1 2",
/// "*: 1 comp 10". Behind the rank: id, kind, and
///   comp US [cpu] [ops N] [bytes N]    coll KIND BYTES [group NAME] [dims 10]
///   send BYTES to RANK tag TAG         recv BYTES from RANK tag TAG
///   load BYTES, store BYTES            meta, type NUMBER
/// then [took US] [after ID...] [control ID...] [name TEXT]. "ranks N" is the first line.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/chakra/chakra_trace.h"
#include "tests/support/chakra/chakra_bytes.h"

namespace heddle::testing {

class ChakraLine {
 public:
  explicit ChakraLine(const std::string& text) : words_(text) { words_ >> id_ >> kind_; }

  std::string Bytes() {
    ReadKind();
    for (std::string word; words_ >> word;) ReadPart(word);
    return NodeHead(id_, type_, name_) + Dependencies(4, control_) + Dependencies(5, data_) +
           (took_ > 0 ? WholeField(7, took_) : "") + attributes_;
  }

 private:
  template <class Value>
  Value Next() {
    Value value{};
    if (!(words_ >> value)) throw std::runtime_error("a word is missing behind " + kind_);
    return value;
  }
  void Add(const char* name, std::int64_t value) { attributes_ += Attribute(name, value); }

  void ReadKind() {
    if (kind_ == "comp") {
      type_ = 4;
      took_ = Next<std::uint64_t>();
    } else if (kind_ == "coll") {
      type_ = 7;
      const auto collective = Next<std::string>();
      int number = 0;
      while (number < kChakraCollectives &&
             collective != ToText(static_cast<ChakraCollective>(number)))
        ++number;
      Add("comm_type", number);
      Add("comm_size", Next<std::int64_t>());
    } else if (kind_ == "send" || kind_ == "recv") {
      type_ = kind_ == "send" ? 5 : 6;
      Add("comm_size", Next<std::int64_t>());
    } else if (kind_ == "load" || kind_ == "store") {
      type_ = kind_ == "load" ? 2 : 3;
      Add("tensor_size", Next<std::int64_t>());
    } else if (kind_ == "meta") {
      type_ = 1;
    } else if (kind_ == "type") {
      type_ = Next<int>();
    } else {
      throw std::runtime_error("unknown kind " + kind_);
    }
  }

  void ReadPart(const std::string& word) {
    if (word == "cpu") {
      attributes_ += Attribute("is_cpu_op", WholeField(27, 1));
    } else if (word == "ops") {
      Add("num_ops", Next<std::int64_t>());
    } else if (word == "bytes") {
      Add("tensor_size", Next<std::int64_t>());
    } else if (word == "to") {
      Add("comm_dst", Next<std::int64_t>());
    } else if (word == "from") {
      Add("comm_src", Next<std::int64_t>());
    } else if (word == "tag") {
      Add("comm_tag", Next<std::int64_t>());
    } else if (word == "group") {
      attributes_ += Attribute("pg_name", BytesField(29, Next<std::string>()));
    } else if (word == "dims") {
      std::string flags;
      for (const char c : Next<std::string>()) flags.push_back(c == '1' ? '\1' : '\0');
      attributes_ += Attribute("involved_dim", BytesField(28, BytesField(1, flags)));
    } else if (word == "took") {
      took_ = Next<std::uint64_t>();
    } else if (word == "name") {
      name_ = Next<std::string>();
    } else if (word == "after" || word == "control") {
      list_ = word == "after" ? &data_ : &control_;
    } else if (list_ != nullptr) {
      list_->push_back(std::stoull(word));
    } else {
      throw std::runtime_error("unknown word " + word);
    }
  }

  std::istringstream words_;
  std::uint64_t id_ = 0, took_ = 0;
  int type_ = 0;
  std::string kind_, name_, attributes_;
  std::vector<std::uint64_t> data_, control_;
  std::vector<std::uint64_t>* list_ = nullptr;
};

/// The files of a trace, by rank.
inline std::vector<std::string> ChakraFilesOf(const std::string& text) {
  std::istringstream lines(text);
  std::string line, word;
  std::size_t ranks = 0;
  lines >> word >> ranks;
  std::getline(lines, line);
  std::vector<std::vector<std::string>> nodes(ranks);
  while (std::getline(lines, line)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string rank = line.substr(0, colon);
    const std::string node = ChakraLine(line.substr(colon + 1)).Bytes();
    for (std::size_t i = 0; i < ranks; ++i) {
      if (rank == "*" || std::stoul(rank) == i) nodes[i].push_back(node);
    }
  }
  std::vector<std::string> files;
  for (const auto& all : nodes) files.push_back(TraceBytes(all));
  return files;
}

/// Writes PREFIX.0.et, PREFIX.1.et, ... and returns PREFIX.
inline std::string WriteChakra(const std::string& text, const std::string& prefix) {
  const std::vector<std::string> files = ChakraFilesOf(text);
  for (std::size_t rank = 0; rank < files.size(); ++rank)
    std::ofstream(prefix + "." + std::to_string(rank) + ".et", std::ios::binary) << files[rank];
  return prefix;
}

}  // namespace heddle::testing
