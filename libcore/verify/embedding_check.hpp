// Embedding check: verifies that embedded preprocessing nodes match the `run` command.
#pragma once

#include <memory>
#include <string>

#include "libcore/dataset/embedding.hpp"
#include "libcore/verify/verification.hpp"

namespace ortool {

/// The difference between the nodes and what `run` computes from the same image.
struct EmbeddingCheck {
  std::string input;
  double max_abs_error = 0;
  bool has_passed = false;
  std::string reason;  ///< why not
};

/// Runs the nodes alone on random images. `model` is as embed_pictures() left it. Resized images
/// may be off by 1 of 256, since `run` rounds between rows and columns; other values by 1e-6,
/// relative to themselves and to the largest one (float16: 1e-3, bfloat16: 1e-2).
EmbeddingCheck check_embedding(const Embedding& embedding, std::unique_ptr<Model> model,
                               const Verifier& verifier);

}  // namespace ortool
