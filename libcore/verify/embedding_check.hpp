// The proof that embedded nodes prepare pictures as run does.
#pragma once

#include <memory>
#include <string>

#include "libcore/dataset/embedding.hpp"
#include "libcore/verify/verification.hpp"

namespace ortool {

/// How far the nodes are from what run makes of the same picture.
struct EmbeddingCheck {
  std::string input;
  double max_abs_error = 0;
  bool has_passed = false;
  std::string reason;  ///< why not
};

/// Feeds made-up pictures to the nodes alone. `model` is as embed_pictures() left it. What is
/// resized may be off by one of 256 levels, since run rounds between rows and columns; other
/// numbers by rounding: 1e-6 of the largest one, and of themselves (float16: 1e-3, bfloat16: 1e-2).
EmbeddingCheck check_embedding(const Embedding& embedding, std::unique_ptr<Model> model,
                               const Verifier& verifier);

}  // namespace ortool
