// Kernel for com.microsoft.WordConvEmbedding.
#include "libcore/ops/contrib/legacy/word_conv_embedding.hpp"

#include <algorithm>

#include "kernels/cpu/ml/word_embedding.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

WordSizes word_sizes(const PrepareContext& context) {
  const Shape& ids = context.inputs[0].shape;
  const Shape& filters = context.inputs[1].shape;
  const Shape& vectors = context.inputs[3].shape;
  const WordSizes sizes = {.words = ids.product(0, ids.rank() - 1),
                           .letters = ids[ids.rank() - 1],
                           .characters = vectors[0],
                           .vector_size = vectors[1],
                           .filters = filters[0],
                           .window = filters[2]};
  if (sizes.letters < sizes.window)
    throw Error(ErrorCode::invalid, format("words of {} ids are shorter than the window of {}",
                                           sizes.letters, sizes.window));
  return sizes;
}

KernelPtr compile_word_embedding(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    return make_prepared({}, [sizes = word_sizes(context)](const RunContext& run) {
      const auto* ids = run.input<std::int32_t>(0);
      const auto* const end = ids + sizes.words * sizes.letters;
      const auto* const wrong =
          std::find_if(ids, end, [&](std::int32_t id) { return id < 0 || id >= sizes.characters; });
      if (wrong != end)
        throw Error(ErrorCode::invalid, format("a character's id is {} (expected 0 to {})", *wrong,
                                               sizes.characters - 1));
      embed_words(sizes, ids, run.input<float>(1), run.input<float>(2), run.input<float>(3),
                  run.output<float>(0), run.workers());
    });
  });
}

constexpr auto word_embedding_rows =
    portable_row("word_conv_embedding", "WordConvEmbedding", "float32", accepts_anything,
                 compile_word_embedding, contrib_domain);

}  // namespace

std::span<const KernelRow> word_conv_embedding_kernels() {
  return word_embedding_rows;
}

}  // namespace ortool::cpu
