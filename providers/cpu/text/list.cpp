// Texts: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file)    \
  file(bert_decoder_kernels)         \
  file(bert_tokenizer_kernels)       \
  file(byte_pair_decoder_kernels)    \
  file(byte_pair_tokenizer_kernels)  \
  file(hf_json_tokenizer_kernels)    \
  file(regex_full_match_kernels)     \
  file(regex_ops_kernels)            \
  file(regex_tokenizer_kernels)      \
  file(segment_ops_kernels)          \
  file(sentencepiece_ops_kernels)    \
  file(spm_tokenizer_kernels)        \
  file(string_functions_kernels)     \
  file(string_ops_kernels)           \
  file(string_tables_kernels)        \
  file(trie_tokenizer_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(text_kernel_files)
