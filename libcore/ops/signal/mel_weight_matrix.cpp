// Schema of MelWeightMatrix: one row for each spectrum bin, one column for each mel band.
#include "libcore/ops/signal/mel_weight_matrix.hpp"

#include "libcore/ops/element_type.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/signal/scalar_size.hpp"

namespace ortool {

constinit const OpSchema MelWeightMatrix::schema = {
    "MelWeightMatrix",
    "",
    {{.since = 17,
      .inputs = {{"num_mel_bins", "T1"},
                 {"dft_length", "T1"},
                 {"sample_rate", "T1"},
                 {"lower_edge_hertz", "T2"},
                 {"upper_edge_hertz", "T2"}},
      .outputs = {{"output", "T3"}},
      .attributes = {{"output_datatype", AttributeKind::integer, false, 1}},
      .types = {
          {"T1", types::indices}, {"T2", types::floats}, {"T3", types::numbers_and_bfloat16}}}}};

void MelWeightMatrix::read(AttributeReader& attributes, int) {
  element = read_element_type(attributes, "output_datatype", "T3").value_or(DataType::float32);
}

void MelWeightMatrix::infer(InferContext& context) const {
  const Dimension bands = scalar_size(context, 0, "num_mel_bins", 1);
  const Dimension length = scalar_size(context, 1, "dft_length", 1);
  scalar_size(context, 2, "sample_rate", 1);
  check_single(context, 3, "lower_edge_hertz");
  check_single(context, 4, "upper_edge_hertz");
  context.set_output(0, element, Dimensions{unique_bins(length), bands});
}

}  // namespace ortool
