// Kernel for BertTokenizerDecoder: ids to texts, with spaces where words begin.
#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "kernels/cpu/text/character_class.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/utf8.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/text/bert_tokenizers.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/text/text_values.hpp"
#include "providers/cpu/text/vocabulary.hpp"

namespace ortool::cpu {
namespace {

/// A token as it is written: the text without the prefix, and its first and last character.
struct WrittenToken {
  std::string text;
  bool is_inside_word = false;
  bool is_special = false;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

bool is_any_of(std::uint32_t code, std::string_view characters) {
  return code < 0x80 && characters.find(static_cast<char>(code)) != std::string_view::npos;
}

/// Whether two words have no space between them, by their last and first character.
bool are_adjacent(std::uint32_t last, std::uint32_t first) {
  constexpr std::string_view on_both_sides = "-'\"/@\\";
  const auto is_wide_punctuation = [](std::uint32_t code) {
    return code > 0x80 && is_punctuation(code);
  };
  return is_any_of(first, "!.?,~:}]>)") || is_any_of(last, "{[<($") ||
         is_any_of(last, on_both_sides) || is_any_of(first, on_both_sides) ||
         is_wide_punctuation(last) || is_wide_punctuation(first);
}

class BertDecoder {
 public:
  explicit BertDecoder(const extensions::BertTokenizerDecoder& op)
      : unknown_(op.unknown), skips_special_(op.skips_special), cleans_spaces_(op.cleans_spaces) {
    const std::array<std::string_view, 4> special = {op.separator, op.padding, op.classification,
                                                     op.mask};
    for (const std::string& line : lines_of(op.vocabulary)) {
      WrittenToken& token = tokens_.emplace_back();
      token.is_special = std::find(special.begin(), special.end(), line) != special.end();
      token.is_inside_word = line.starts_with(op.prefix);
      token.text = token.is_inside_word ? line.substr(op.prefix.size()) : line;
      for (std::string_view rest = token.text; !rest.empty();) {
        const Utf8Character character = read_utf8(rest);
        if (rest.size() == token.text.size()) token.first = character.code;
        token.last = character.code;
        rest.remove_prefix(std::max<std::size_t>(character.bytes, 1));
      }
    }
  }

  std::string decode(std::span<const std::int64_t> ids) const {
    std::string text;
    const WrittenToken* before = nullptr;
    for (const std::int64_t id : ids) {
      if (id < 0 || id >= static_cast<std::int64_t>(tokens_.size())) {
        if (!text.empty()) text += ' ';
        text += unknown_;
        continue;
      }
      const WrittenToken& token = tokens_[static_cast<std::size_t>(id)];
      if (skips_special_ && token.is_special) continue;
      // A text does not begin inside a word.
      if (text.empty() && token.is_inside_word) continue;
      const bool is_joined =
          text.empty() || token.is_inside_word ||
          (cleans_spaces_ && (before == nullptr || are_adjacent(before->last, token.first)));
      if (!is_joined) text += ' ';
      text += token.text;
      before = &token;
    }
    return text;
  }

 private:
  std::vector<WrittenToken> tokens_;
  std::string unknown_;
  bool skips_special_;
  bool cleans_spaces_;
};

KernelPtr compile_bert_decoder(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<extensions::BertTokenizerDecoder>(view.node());
  const auto decoder = std::make_shared<const BertDecoder>(op);
  return make_dynamic_kernel(row.name, [decoder, uses_ranges = op.uses_ranges](
                                           DynamicContext& context) {
    const std::span<const std::int64_t> ids = context.input(0).data<std::int64_t>();
    TextList out(context);
    if (!uses_ranges) {
      out.add(decoder->decode(ids));
      return context.set_output(0, out.take_row());
    }
    const Tensor& ranges = context.input(1);
    if (ranges.element_count() != 0 && (ranges.shape().rank() != 2 || ranges.shape()[1] != 2)) {
      throw Error(ErrorCode::invalid, format("'position' has the shape {} (expected [n, 2])",
                                             ranges.shape().to_string()));
    }
    const std::span<const std::int64_t> ends = ranges.data<std::int64_t>();
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
      const std::int64_t begin = ends[i];
      const std::int64_t end = ends[i + 1];
      if (begin < 0 || end < begin || end > static_cast<std::int64_t>(ids.size())) {
        throw Error(ErrorCode::invalid,
                    format("range {} is {} to {} (expected places from 0 to {}, in order)", i / 2,
                           begin, end, ids.size()));
      }
      out.add(decoder->decode(
          ids.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))));
    }
    context.set_output(0, out.take_row());
  });
}

constexpr auto bert_decoder_rows =
    portable_row("bert_tokenizer_decoder", "BertTokenizerDecoder", "int64", accepts_anything,
                 compile_bert_decoder, extensions_domain);

}  // namespace

std::span<const KernelRow> bert_decoder_kernels() {
  return bert_decoder_rows;
}

}  // namespace ortool::cpu
