// Kernels for TrieTokenizer and TrieDetokenizer of ai.onnx.contrib; the vocabulary is indexed once
// a node.
#include "libcore/ops/contrib/text/trie_tokenizer.hpp"

#include <memory>
#include <unordered_map>
#include <utility>

#include "kernels/cpu/text/byte_trie.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/utf8.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/text/token_rows.hpp"

namespace ortool::cpu {
namespace {

std::vector<std::int64_t> longest_tokens(const ByteTrie& trie, std::string_view text,
                                         const Workers& workers) {
  std::vector<std::int64_t> ids;
  for (std::size_t at = 0; at < text.size();) {
    if (ids.size() % 1024 == 0) workers.poll();
    std::size_t bytes = 0;
    std::int64_t id = 0;
    trie.for_each_prefix(text.substr(at), [&](std::size_t size, std::int64_t value) {
      bytes = size;
      id = value;
    });
    if (bytes == 0) {
      throw Error(ErrorCode::invalid,
                  format("the vocabulary has no token for byte {} of a text ({})", at,
                         quote(text.substr(at, 1))),
                  "RWKV's vocabularies have a token for each byte");
    }
    ids.push_back(id);
    at += bytes;
  }
  return ids;
}

KernelPtr compile_trie_tokenizer(const NodeView& view, const KernelRow& row,
                                 const CompileContext&) {
  const auto op = read_op<extensions::TrieTokenizer>(view.node());
  auto trie = std::make_shared<ByteTrie>();
  for (const auto& [id, token] : op.tokens) trie->add(token, id);
  return make_dynamic_kernel(row.name, [trie](DynamicContext& context) {
    std::vector<std::vector<std::int64_t>> rows;
    for (const std::string& text : context.input(0).strings()) {
      check_room(context, multiply_sizes(static_cast<std::int64_t>(text.size()), 8), "tokens");
      rows.push_back(longest_tokens(*trie, text, context.workers()));
    }
    set_token_rows(context, context.input(0).shape(), rows, 0);
  });
}

KernelPtr compile_trie_detokenizer(const NodeView& view, const KernelRow& row,
                                   const CompileContext&) {
  const auto op = read_op<extensions::TrieDetokenizer>(view.node());
  auto tokens = std::make_shared<std::unordered_map<std::int64_t, std::string>>();
  for (const auto& [id, token] : op.tokens) tokens->insert_or_assign(id, token);
  return make_dynamic_kernel(row.name, [tokens](DynamicContext& context) {
    set_row_texts(context, [&](std::span<const std::int64_t> ids, std::int64_t index) {
      std::string text;
      for (const std::int64_t id : ids) {
        const auto token = tokens->find(id);
        if (token != tokens->end()) text += token->second;
      }
      if (!is_valid_utf8(text))
        throw Error(ErrorCode::invalid, format("the ids of row {} are not text in UTF-8", index));
      return text;
    });
  });
}

constexpr auto trie_tokenizer_rows =
    join_rows(portable_row("trie_detokenizer", "TrieDetokenizer", "int64", accepts_anything,
                           compile_trie_detokenizer, extensions_domain),
              portable_row("trie_tokenizer", "TrieTokenizer", "string", accepts_anything,
                           compile_trie_tokenizer, extensions_domain));

}  // namespace

std::span<const KernelRow> trie_tokenizer_kernels() {
  return trie_tokenizer_rows;
}

}  // namespace ortool::cpu
