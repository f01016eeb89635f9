// Classical machine learning (ai.onnx.ml): the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file)      \
  file(feature_rows_kernels)           \
  file(label_encoder_kernels)          \
  file(label_maps_kernels)             \
  file(linear_model_kernels)           \
  file(murmur_hash_kernels)            \
  file(ngram_hash_kernels)             \
  file(one_hot_encoder_kernels)        \
  file(support_vector_machine_kernels) \
  file(tf_idf_vectorizer_kernels)      \
  file(tree_ensemble_kernels)          \
  file(word_conv_embedding_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(ml_kernel_files)
