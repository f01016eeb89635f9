// Packed sequences: the sequence of a token is the number of sequences that begin up to it.
#include "libcore/optimize/contrib/packed_tokens.hpp"

#include "libcore/optimize/contrib/common_nodes.hpp"

namespace ortool {

PackedTokens::PackedTokens(Decomposition& out, Value& bounds, Value& tokens)
    : out_(out),
      bounds_(cast_to(out, bounds, DataType::int64)),
      starts_(slice_axis(out, bounds_, 0, 0, -1)),
      lengths_(out.add("Sub", {&slice_axis(out, bounds_, 0, 1, end_of_axis), &starts_})),
      places_(range_to(out, axis_size(out, tokens, 0))),
      sequences_(sequence_of_token(tokens)),
      positions_(out.add("Sub", {&places_, &gather(out, starts_, sequences_, 0)})) {}

Value& PackedTokens::sequence_of_token(Value& tokens) const {
  Value& count = slice_axis(out_, out_.add("Shape", {&tokens}), 0, 0, 1);
  Value& none = out_.add("Expand", {&integer_scalar(out_, 0), &count});
  Value& ones = out_.add("Expand", {&integer_scalar(out_, 1), &out_.add("Shape", {&starts_})});
  Value& begins = out_.add("ScatterElements", {&none, &starts_, &ones});
  Value& begun = out_.add("CumSum", {&begins, &integer_scalar(out_, 0)});
  return out_.add("Sub", {&begun, &integer_scalar(out_, 1)});
}

}  // namespace ortool
