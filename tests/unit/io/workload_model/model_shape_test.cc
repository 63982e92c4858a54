// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/model_shape.h"

#include <gtest/gtest.h>

#include "tests/unit/io/workload_model/known_model.h"

namespace heddle {
namespace {

struct PublishedCount {
  const char* model;
  double total, active;  ///< [10^9], 0: not published
  double tolerance;      ///< half of the last digit that was published
};

// Brown et al. 2020, table 2.1; Korthikanti et al. 2022, table 3; Touvron et al. 2023, table 2;
// Touvron et al. 2023 (Llama 2); Llama Team 2024 (model cards: 8.0B, 70.6B, 405B); Parmar et al.
// 2024 (12.5B beside 3.2B of embeddings); Jiang et al. 2024 (47B, 13B; the model card's
// weights: 46.7B, 12.9B); DeepSeek-AI 2024 (671B, 37B).
TEST(ModelShape, ParametersAreThoseThatWerePublished) {
  for (const PublishedCount& model :
       {PublishedCount{"gpt-7b", 6.7, 0, 0.05}, PublishedCount{"gpt-13b", 13.0, 0, 0.5},
        PublishedCount{"gpt-22b", 22, 0, 0.5}, PublishedCount{"gpt-175b", 175, 0, 0.5},
        PublishedCount{"llama-7b", 6.7, 0, 0.05}, PublishedCount{"llama-65b", 65.2, 0, 0.1},
        PublishedCount{"llama3-70b", 70.6, 0, 0.05}, PublishedCount{"llama3-8b", 8.0, 0, 0.05},
        PublishedCount{"llama3-405b", 405, 0, 0.9}, PublishedCount{"llama2-13b", 13.0, 0, 0.05},
        PublishedCount{"llama2-70b", 69.0, 0, 0.05}, PublishedCount{"nemotron4-15b", 15.7, 0, 0.1},
        PublishedCount{"mixtral-8x7b", 46.7, 12.9, 0.05},
        PublishedCount{"deepseek-v3", 671, 37, 0.6}}) {
    const ParameterCount count = CountParameters(KnownModel(model.model));
    EXPECT_NEAR(static_cast<double>(count.total()) * 1e-9, model.total, model.tolerance)
        << model.model;
    if (model.active > 0) {
      EXPECT_NEAR(static_cast<double>(count.active()) * 1e-9, model.active, model.tolerance)
          << model.model;
    }
  }
}

// 12 h^2 + 13 h a layer: matrices of 12 h^2, biases of 9 h, norms of 4 h; then the last norm's 2 h.
TEST(ModelShape, OfGptInClosedForm) {
  const ModelShape gpt = KnownModel("gpt-13b");
  const std::int64_t h = gpt.hidden;
  const ParameterCount count = CountParameters(gpt);
  EXPECT_EQ(count.layers, gpt.layers * (12 * h * h + 13 * h) + 2 * h);
  EXPECT_EQ(count.embedding, (50257 + 2048) * h);
  EXPECT_EQ(count.output, 0);
}

}  // namespace
}  // namespace heddle
