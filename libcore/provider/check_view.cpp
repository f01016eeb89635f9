// View bounds check: compares the bounds of a view with the size of its input.
#include "libcore/provider/check_view.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {

void check_view(const BytesView& view, const Operand& input, const Operand& output) {
  const std::int64_t room = input.size_bytes() - view.offset_bytes;
  if (view.offset_bytes >= 0 && output.size_bytes() <= room) return;
  throw Error(ErrorCode::invalid,
              format("an output of shape {} ({} bytes) at byte {} of an input of shape {} exceeds "
                     "its {} bytes",
                     output.shape.to_string(), output.size_bytes(), view.offset_bytes,
                     input.shape.to_string(), input.size_bytes()));
}

}  // namespace ortool
