// Schemas of SplitSignalSegments and MergeSignalSegments; how many segments there are depends on
// the samples.
#include "libcore/ops/contrib/signal/signal_segments.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool::extensions {

constinit const OpSchema SplitSignalSegments::schema = {
    "SplitSignalSegments",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"audio", "tensor(float)"},
                 {"sr", "tensor(int64)"},
                 {"frame_ms", "tensor(int64)"},
                 {"hop_ms", "tensor(int64)"},
                 {"energy_threshold_db", "tensor(float)"}},
      .outputs = {{"value", "tensor(int64)"}}}}};

constinit const OpSchema MergeSignalSegments::schema = {
    "MergeSignalSegments",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"segments", "tensor(int64)"}, {"merge_gap_ms", "tensor(int64)"}},
      .outputs = {{"merged_segments", "tensor(int64)"}}}}};

void SplitSignalSegments::infer(InferContext& context) const {
  check_rank(context, 0, "audio", 2);
  check_dimension("the number of rows of 'audio'", dimension_at(context, 0, 0), 1);
  check_single(context, 1, "sr");
  check_single(context, 2, "frame_ms");
  check_single(context, 3, "hop_ms");
  check_single(context, 4, "energy_threshold_db");
  context.set_output(0, DataType::int64, Dimensions{context.unknown_dimension(), 2});
}

void MergeSignalSegments::infer(InferContext& context) const {
  check_rank(context, 0, "segments", 2);
  check_dimension("the number of columns of 'segments'", dimension_at(context, 0, 1), 2);
  check_single(context, 1, "merge_gap_ms");
  context.set_output(0, DataType::int64, Dimensions{context.unknown_dimension(), 2});
}

}  // namespace ortool::extensions
