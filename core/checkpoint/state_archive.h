// SPDX-License-Identifier: GPL-2.0-only
/// Archives of Boost.Serialization for checkpoints: state to bytes in memory and back, at the speed
/// of a copy.
///
/// Boost's own binary archives look up the type of every object, to handle pointers and versions.
/// Saved state needs neither: pointers are rebuilt from the inputs, and a checkpoint has one
/// version. These archives implement Boost's concept, so its containers and our serialize() members
/// work with them, but without the tables: plain values are copied byte by byte, everything else
/// goes through its serialize().
#pragma once

#include <boost/archive/basic_archive.hpp>
#include <boost/mpl/bool.hpp>
#include <boost/serialization/array_optimization.hpp>
#include <boost/serialization/array_wrapper.hpp>
#include <boost/serialization/collection_size_type.hpp>
#include <boost/serialization/item_version_type.hpp>
#include <boost/serialization/library_version_type.hpp>
#include <boost/serialization/nvp.hpp>
#include <boost/serialization/serialization.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/check.h"
#include "core/containers/state_count.h"

namespace heddle {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "state is written as it lies in memory");

namespace detail {
/// Whether T is an instance of Wrapper.
template <template <class> class Wrapper, class T>
constexpr bool kIs = false;
template <template <class> class Wrapper, class T>
constexpr bool kIs<Wrapper, Wrapper<T>> = true;
template <template <class> class Wrapper, class T>
constexpr bool kIs<Wrapper, const Wrapper<T>> = true;
}  // namespace detail

/// The common base of writer and reader; `Derived` copies bytes and counts.
template <class Derived>
class StateArchive {
 public:
  /// Returns Boost's version, for which its containers ask.
  boost::serialization::library_version_type get_library_version() const {
    return boost::serialization::library_version_type(boost::archive::BOOST_ARCHIVE_VERSION());
  }
  /// Does nothing, as no pointers are saved.
  template <class T>
  void register_type(const T* = nullptr) {}

 protected:
  /// Copies a value in the direction of `Derived`: plain ones byte by byte, others by their
  /// serialize().
  template <class T>
  void Visit(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      unsigned char byte = value ? 1 : 0;
      self().Bytes(&byte, sizeof byte);
      ExpectState(byte <= 1, "something between true and false");
      if (Derived::is_loading::value) value = byte != 0;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      self().Bytes(&value, sizeof value);
    } else if constexpr (std::is_array_v<T>) {
      VisitRange(&value[0], std::extent_v<T>);
    } else if constexpr (std::is_same_v<T, StateCount>) {
      self().Count(&value);
    } else if constexpr (std::is_same_v<T, boost::serialization::collection_size_type>) {
      StateCount count(value);
      self().Count(&count);
      value = boost::serialization::collection_size_type(count);
    } else if constexpr (std::is_same_v<T, boost::serialization::item_version_type>) {
      value = boost::serialization::item_version_type(0);
    } else if constexpr (std::is_same_v<T, std::string>) {
      StateCount size(value.size());
      self().Count(&size);
      value.resize(size);
      self().Bytes(value.data(), size);
    } else if constexpr (detail::kIs<boost::serialization::nvp, T>) {
      Visit(const_cast<std::remove_const_t<std::remove_reference_t<decltype(value.value())>>&>(
          value.value()));
    } else if constexpr (detail::kIs<boost::serialization::array_wrapper, T>) {
      VisitRange(value.address(), value.count());
    } else {
      boost::serialization::serialize_adl(self(), value, 0U);
    }
  }
  /// Copies consecutive values, numbers as one block.
  template <class T>
  void VisitRange(T* values, std::size_t count) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<std::remove_const_t<T>, bool>) {
      self().Bytes(const_cast<std::remove_const_t<T>*>(values), count * sizeof(T));
    } else {
      for (std::size_t i = 0; i < count; ++i) Visit(values[i]);
    }
  }

 private:
  /// Returns the writer or reader itself.
  Derived& self() { return static_cast<Derived&>(*this); }
};

/// Appends to its own buffer.
class StateWriter final : public StateArchive<StateWriter> {
 public:
  using is_saving = boost::mpl::true_;
  using is_loading = boost::mpl::false_;

  /// Returns all that was written since Clear().
  const std::vector<char>& bytes() const { return bytes_; }
  /// Forgets what was written; keeps the memory.
  void Clear() { bytes_.clear(); }

  /// Appends a value.
  template <class T>
  StateWriter& operator<<(const T& value) {
    Visit(const_cast<T&>(value));  // serialize() members are not const; saving changes nothing
    return *this;
  }
  /// Appends a value, as serialize() members say it.
  template <class T>
  StateWriter& operator&(const T& value) {
    return *this << value;
  }
  /// Appends `size` bytes as they are, as Boost's arrays ask for.
  void save_binary(const void* data, std::size_t size) { Bytes(const_cast<void*>(data), size); }

 private:
  friend class StateArchive<StateWriter>;
  /// Appends `size` bytes.
  void Bytes(void* data, std::size_t size) {
    const char* from = static_cast<const char*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  /// Appends a number of elements, in 8 bytes.
  void Count(StateCount* count) {
    std::uint64_t plain = *count;
    Bytes(&plain, sizeof plain);
  }

  std::vector<char> bytes_;
};

/// Reads the bytes of a StateWriter. Throws UserError if fewer bytes are left than requested.
class StateReader final : public StateArchive<StateReader> {
 public:
  using is_saving = boost::mpl::false_;
  using is_loading = boost::mpl::true_;

  /// `data` must outlive the reader.
  StateReader(const char* data, std::size_t size) : at_(data), left_(size) {}
  /// `bytes` must outlive the reader.
  explicit StateReader(const std::vector<char>& bytes) : StateReader(bytes.data(), bytes.size()) {}

  /// Returns the number of bytes that are not read yet.
  std::size_t left() const { return left_; }
  /// Throws UserError if bytes are left.
  void ExpectEnd() const {
    if (left_ != 0) throw UserError("the saved state is longer than its parts");
  }

  /// Reads a value.
  template <class T>
  StateReader& operator>>(T&& value) {
    Visit(const_cast<std::remove_const_t<std::remove_reference_t<T>>&>(value));
    return *this;
  }
  /// Reads a value, as serialize() members say it.
  template <class T>
  StateReader& operator&(T&& value) {
    return *this >> value;
  }
  /// Reads `size` bytes as they are.
  void load_binary(void* data, std::size_t size) { Bytes(data, size); }
  /// Does nothing: Boost's containers report objects that moved; this matters only to pointers,
  /// which state does not have.
  template <class T>
  void reset_object_address(const T*, const T*) {}
  /// Does nothing, likewise.
  void reset_object_address(const void*, const void*) {}

 private:
  friend class StateArchive<StateReader>;
  /// Reads `size` bytes. Throws UserError if fewer are left.
  void Bytes(void* data, std::size_t size) {
    if (size > left_) throw UserError("the saved state ends too early");
    if (size > 0) std::memcpy(data, at_, size);
    at_ += size;
    left_ -= size;
  }
  /// Reads a number of elements. Throws UserError if it exceeds the bytes left.
  void Count(StateCount* count) {
    std::uint64_t plain = 0;
    Bytes(&plain, sizeof plain);
    // Every element takes at least one byte.
    if (plain > left_) throw UserError("the saved state has a part that is longer than the whole");
    *count = StateCount(plain);
  }

  const char* at_;
  std::size_t left_;
};

}  // namespace heddle

namespace boost::serialization {

/// Vectors of numbers are copied as one block.
template <>
struct use_array_optimization<heddle::StateWriter> {
  template <class T>
  struct apply : boost::mpl::bool_<std::is_arithmetic_v<std::remove_const_t<T>>> {};
};
template <>
struct use_array_optimization<heddle::StateReader> {
  template <class T>
  struct apply : boost::mpl::bool_<std::is_arithmetic_v<std::remove_const_t<T>>> {};
};

}  // namespace boost::serialization
