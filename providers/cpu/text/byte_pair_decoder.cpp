// Kernel for BpeDecoder: ids to texts, by the bytes that characters of tokens stand for.
#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "libcore/base/utf8.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/text/byte_pair_tokenizers.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/text/token_rows.hpp"

namespace ortool::cpu {
namespace {

class BytePairDecoder {
 public:
  explicit BytePairDecoder(const extensions::BpeDecoder& op)
      : unknown_(op.unknown), skips_special_(op.skips_special) {
    const std::unordered_map<std::uint32_t, std::uint8_t> bytes(op.bytes.begin(), op.bytes.end());
    std::string_view rest = op.vocabulary;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      texts_.push_back(decoded(rest.substr(0, end), bytes));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    for (const auto& [id, token] : op.added) added_.insert_or_assign(id, token);
    special_.insert(op.special.begin(), op.special.end());
  }

  std::string decode(std::span<const std::int64_t> ids) const {
    std::string text;
    for (const std::int64_t id : ids) {
      if (skips_special_ && special_.contains(id)) continue;
      const auto added = added_.find(id);
      if (added != added_.end()) {
        text += added->second;
      } else if (id >= 0 && id < static_cast<std::int64_t>(texts_.size())) {
        text += texts_[static_cast<std::size_t>(id)];
      } else if (!skips_special_) {
        text += unknown_;
      }
    }
    return text;
  }

 private:
  static std::string decoded(std::string_view token,
                             const std::unordered_map<std::uint32_t, std::uint8_t>& bytes) {
    std::string text;
    while (!token.empty()) {
      const Utf8Character character = read_utf8(token);
      const std::size_t size = std::max<std::size_t>(character.bytes, 1);
      const auto byte = bytes.find(character.code);
      if (character.bytes > 0 && byte != bytes.end()) {
        text += static_cast<char>(byte->second);
      } else {
        text += token.substr(0, size);
      }
      token.remove_prefix(size);
    }
    return text;
  }

  std::vector<std::string> texts_;
  std::unordered_map<std::int64_t, std::string> added_;
  std::unordered_set<std::int64_t> special_;
  std::string unknown_;
  bool skips_special_;
};

KernelPtr compile_bpe_decoder(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto decoder =
      std::make_shared<const BytePairDecoder>(read_op<extensions::BpeDecoder>(view.node()));
  return make_dynamic_kernel(row.name, [decoder](DynamicContext& context) {
    set_row_texts(context, [&](std::span<const std::int64_t> ids, std::int64_t) {
      return decoder->decode(ids);
    });
  });
}

constexpr auto byte_pair_decoder_rows = portable_row(
    "bpe_decoder", "BpeDecoder", "int64", accepts_anything, compile_bpe_decoder, extensions_domain);

}  // namespace

std::span<const KernelRow> byte_pair_decoder_kernels() {
  return byte_pair_decoder_rows;
}

}  // namespace ortool::cpu
