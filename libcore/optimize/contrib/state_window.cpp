// Windows of recurrent states, as slices and concatenations.
#include "libcore/optimize/contrib/state_window.hpp"

#include "libcore/optimize/contrib/common_nodes.hpp"

namespace ortool {

Value* newest_state(Decomposition& out, Value* past, std::int64_t window) {
  if (past == nullptr || window == 0) return past;
  return &squeeze(out, slice_axis(out, *past, 0, window - 1, window), 0);
}

Value& window_of_states(Decomposition& out, const std::vector<Value*>& states, Value& x,
                        std::int64_t axis, DataType type) {
  Value& length = axis_size(out, x, axis);
  std::vector<Value*> parts;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto needed = static_cast<std::int64_t>(states.size() - i);
    Value& is_missing = out.add("Less", {&length, &integer_scalar(out, needed)});
    Value& state = out.add("Where", {&is_missing, &scalar(out, type, 0), states[i]});
    parts.push_back(&unsqueeze(out, state, 0));
  }
  return concatenate(out, std::move(parts), 0);
}

}  // namespace ortool
