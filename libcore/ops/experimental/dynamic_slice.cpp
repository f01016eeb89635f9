// Schema of DynamicSlice.
#include "libcore/ops/experimental/dynamic_slice.hpp"

namespace ortool {

constinit const OpSchema DynamicSlice::schema = {
    "DynamicSlice",
    "",
    {{.since = 1,
      .inputs = {{"data", "T"},
                 {"starts", "Tind"},
                 {"ends", "Tind"},
                 {"axes", "Tind", Formal::Count::optional}},
      .outputs = {{"output", "T"}},
      .types = {{"T", types::all_tensors}, {"Tind", types::indices}}}}};

}  // namespace ortool
