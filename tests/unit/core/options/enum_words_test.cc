// SPDX-License-Identifier: GPL-2.0-only
#include "core/options/enum_words.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/options/options.h"

namespace heddle {
namespace {

enum class Fruit : std::uint8_t { kApple, kPassionFruit };
constexpr auto WordsOf(Fruit /*type*/) { return std::array{"apple", "passion-fruit"}; }

enum class Wordless { kNone };

struct Basket {
  enum class Handle : std::uint8_t { kWood, kRope, kWire };
  friend constexpr auto WordsOf(Handle /*type*/) { return std::array{"wood", "rope", "wire"}; }

  Handle handle = Handle::kRope;
};

static_assert(HasWords<Fruit>::value && HasWords<Basket::Handle>::value);
static_assert(!HasWords<Wordless>::value && !HasWords<bool>::value && !HasWords<Basket>::value);

TEST(EnumWords, WordsAndValuesBelongTogether) {
  EXPECT_STREQ(ToText(Fruit::kPassionFruit), "passion-fruit");
  EXPECT_STREQ(ToText(Basket::Handle::kWood), "wood");
  EXPECT_EQ(FindWord<Fruit>("apple"), Fruit::kApple);
  EXPECT_EQ(FindWord<Basket::Handle>("wire"), Basket::Handle::kWire);
  EXPECT_EQ(AllWords<Basket::Handle>(), (std::vector<std::string>{"wood", "rope", "wire"}));
}

TEST(EnumWords, OtherWordsHaveNoValue) {
  for (const char* word : {"", "Apple", "apple ", "passion"})
    EXPECT_EQ(FindWord<Fruit>(word), std::nullopt) << word;
}

/// An option of an enum is set, printed and refused as one of allowed words.
TEST(EnumWords, AnOptionOfAnEnumIsOneOfItsWords) {
  Basket basket;
  std::string text = "rope";
  OptionSet options;
  options.Add({"basket.handle", "HANDLE", "handle", "", "heddle"}, &basket.handle);
  options.Add({"basket.text", "HANDLE_TEXT", "handle", "", "heddle"}, &text,
              {"wood", "rope", "wire"});
  const Option &own = options.options()[0], &other = options.options()[1];
  EXPECT_EQ(own.default_text, "rope");
  EXPECT_EQ(own.range, other.range);
  EXPECT_EQ(own.choices, other.choices);
  options.Set("HANDLE", "wire");
  EXPECT_EQ(basket.handle, Basket::Handle::kWire);
  EXPECT_EQ(own.get(), "wire");
  const auto message = [](const Option& option, const char* word) -> std::string {
    try {
      option.set(word);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  };
  for (const char* word : {"", "wir", "Wire", "1"})
    EXPECT_EQ(message(own, word), "expected one of wood, rope, wire");
  EXPECT_EQ(message(own, "wir"), message(other, "wir"));
  EXPECT_EQ(basket.handle, Basket::Handle::kWire);
  EXPECT_TRUE(options.Preset("basket.text", "wood"));
  EXPECT_FALSE(options.Preset("basket.handle", "wood")) << "the user has set it";
}

}  // namespace
}  // namespace heddle
