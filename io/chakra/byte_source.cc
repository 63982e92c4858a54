// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/byte_source.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(const std::string& path)
      : name_(Printable(path, path.size())), file_(std::fopen(path.c_str(), "rb"), &std::fclose) {
    if (file_ == nullptr) Fail();
  }
  std::size_t Read(char* to, std::size_t most) override {
    const std::size_t count = std::fread(to, 1, most, file_.get());
    if (count == 0 && std::ferror(file_.get()) != 0) Fail();
    return count;
  }

 private:
  [[noreturn]] void Fail() const {
    FailInput({name_, 0}, fmt::format("cannot be read ({})", std::strerror(errno)),
              "a trace of Chakra");
  }

  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view bytes) : bytes_(bytes) {}
  std::size_t Read(char* to, std::size_t most) override {
    const std::size_t count = bytes_.copy(to, most);
    bytes_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view bytes_;
};

/// Some bytes, then those of another source.
class BehindBytes final : public ByteSource {
 public:
  BehindBytes(std::string first, std::unique_ptr<ByteSource> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}
  std::size_t Read(char* to, std::size_t most) override {
    if (at_ == first_.size()) return rest_->Read(to, most);
    const std::size_t count = std::string_view(first_).substr(at_).copy(to, most);
    at_ += count;
    return count;
  }

 private:
  std::string first_;
  std::size_t at_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

/// What gzip packed: one stream, or several one after the other.
class UnpackedBytes final : public ByteSource {
 public:
  UnpackedBytes(std::unique_ptr<ByteSource> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), block_(kBlock) {
    constexpr int kLargestWindow = 15, kGzip = 16;
    if (inflateInit2(&stream_, kLargestWindow + kGzip) != Z_OK)
      throw UserError(name_ + ": zlib has no memory to unpack it");
  }
  ~UnpackedBytes() override { inflateEnd(&stream_); }
  UnpackedBytes(const UnpackedBytes&) = delete;
  UnpackedBytes& operator=(const UnpackedBytes&) = delete;

  std::size_t Read(char* to, std::size_t most) override {
    const auto room = static_cast<uInt>(std::min(most, std::size_t{1} << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    while (stream_.avail_out == room) {
      if (stream_.avail_in == 0 && !Fill()) {
        if (between_) return 0;
        Fail("a gzip file that is cut off");
      }
      Unpack();
    }
    return room - stream_.avail_out;
  }

 private:
  bool Fill() {
    stream_.next_in = reinterpret_cast<Bytef*>(block_.data());
    stream_.avail_in = static_cast<uInt>(packed_->Read(block_.data(), block_.size()));
    return stream_.avail_in > 0;
  }
  void Unpack() {
    between_ = false;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      between_ = true;
      inflateReset(&stream_);
    } else if (code != Z_OK) {
      Fail("a damaged gzip file");
    }
  }
  [[noreturn]] void Fail(const char* found) const { FailInput({name_, 0}, found, "a whole one"); }

  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  std::vector<char> block_;
  z_stream stream_ = {};
  bool between_ = true;  ///< no stream has begun, or one has ended
};

std::unique_ptr<ByteSource> Unpack(std::unique_ptr<ByteSource> bytes, const std::string& name) {
  constexpr std::string_view kMagic = "\x1f\x8b";
  std::string first(kMagic.size(), '\0');
  std::size_t count = 0;
  while (count < first.size()) {
    const std::size_t more = bytes->Read(first.data() + count, first.size() - count);
    if (more == 0) break;
    count += more;
  }
  first.resize(count);
  const bool packed = first == kMagic;
  auto all = std::make_unique<BehindBytes>(std::move(first), std::move(bytes));
  if (!packed) return all;
  return std::make_unique<UnpackedBytes>(std::move(all), name);
}

}  // namespace

std::unique_ptr<ByteSource> OpenBytes(const std::string& path) {
  return Unpack(std::make_unique<FileBytes>(path), Printable(path, path.size()));
}

std::unique_ptr<ByteSource> OpenBytes(std::string_view bytes, const std::string& name) {
  return Unpack(std::make_unique<MemoryBytes>(bytes), name);
}

}  // namespace heddle
