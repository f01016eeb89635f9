// com.microsoft's copies of ONNX operators and its small functions, one line each, sorted by domain,
// then name.
#include "libcore/ops/contrib/legacy/attn_lstm.hpp"
#include "libcore/ops/contrib/legacy/bias_functions.hpp"
#include "libcore/ops/contrib/legacy/crop_and_resize.hpp"
#include "libcore/ops/contrib/legacy/fourier.hpp"
#include "libcore/ops/contrib/legacy/matrix_functions.hpp"
#include "libcore/ops/contrib/legacy/murmur_hash.hpp"
#include "libcore/ops/contrib/legacy/ngram_hash_mapping.hpp"
#include "libcore/ops/contrib/legacy/onnx_copies.hpp"
#include "libcore/ops/contrib/legacy/small_functions.hpp"
#include "libcore/ops/contrib/legacy/window_functions.hpp"
#include "libcore/ops/contrib/legacy/word_conv_embedding.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry legacy_contrib_entries[] = {
    op_entry<MemcpyFromHost>({.set = {elementwise, idempotent, keeps_zero, scales_with_input}}),
    op_entry<MemcpyToHost>({.set = {elementwise, idempotent, keeps_zero, scales_with_input}}),
    op_entry<AttnLSTM>(),
    op_entry<BiasAdd>(),
    op_entry<BiasDropout>({.set = {random}}),
    op_entry<BiasSoftmax>({.set = {keeps_axes}}),
    op_entry<BitmaskBiasDropout>({.set = {random}}),
    op_entry<BitmaskDropout>({.set = {random}}),
    op_entry<CDist>(),
    op_entry<ComplexMul>(),
    op_entry<ComplexMulConj>(),
    op_entry<ConvTransposeWithDynamicPads>({.set = {channels_second}}),
    op_entry<CropAndResize>({.set = {channels_second}}),
    op_entry<ExpandDims>({.set = {data_movement, reshapes}}),
    op_entry<ContribGatherND>({.set = {data_movement}, .indices = 1}),
    op_entry<GemmFastGelu>(),
    op_entry<ContribGridSample>({.set = {channels_second}}),
    op_entry<Inverse>({.set = {needs_float32}}),
    op_entry<Irfft>({.set = {needs_float32}}),
    op_entry<IsAllFinite>({.set = {own_result_type}}),
    op_entry<MaxpoolWithMask>({.set = {channels_second}}),
    op_entry<MurmurHash3>({.set = {own_result_type}}),
    op_entry<NGramHashMapping>(),
    op_entry<ContribPad>({.set = {keeps_axes}}),
    op_entry<ContribRange>({.set = {infers_elements}}),
    op_entry<Rfft>({.set = {needs_float32}}),
    op_entry<SampleOp>({.set = {elementwise, idempotent, keeps_zero, scales_with_input}}),
    op_entry<ScaledSiLU>({.set = {elementwise, unidirectional}, .element_inputs = 1}),
    op_entry<SparseToDenseMatMul>(),
    op_entry<TorchEmbedding>({.set = {data_movement}, .indices = 1}),
    op_entry<ContribTrilu>(),
    op_entry<UnfoldTensor>({.set = {data_movement}}),
    op_entry<ContribUnique>(),
    op_entry<VarlenNGramHashMapping>(),
    op_entry<WordConvEmbedding>({.set = {own_result_type}}),
};

}  // namespace

std::span<const OpEntry> legacy_contrib_operators() {
  return legacy_contrib_entries;
}

}  // namespace ortool
