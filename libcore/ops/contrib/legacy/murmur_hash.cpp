// Schema and shape rule of MurmurHash3.
#include "libcore/ops/contrib/legacy/murmur_hash.hpp"

#include "libcore/ops/contrib_domain.hpp"

namespace ortool {

constinit const OpSchema MurmurHash3::schema = {
    "MurmurHash3",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .attributes = {{"positive", AttributeKind::integer, false, 1},
                     {"seed", AttributeKind::integer, false, 0}},
      .types = {
          {"T1", types_of({DataType::uint32, DataType::int32, DataType::uint64, DataType::int64,
                           DataType::float32, DataType::float64, DataType::string})},
          {"T2", types_of({DataType::uint32, DataType::int32})}}}}};

void MurmurHash3::read(AttributeReader& attributes, int) {
  constexpr std::int64_t most = (std::int64_t{1} << 32) - 1;
  is_unsigned = attributes.flag("positive", true);
  seed = static_cast<std::uint32_t>(attributes.integer_in("seed", 0, 0, most));
}

void MurmurHash3::infer(InferContext& context) const {
  context.set_output(0, is_unsigned ? DataType::uint32 : DataType::int32, context.shape(0));
}

}  // namespace ortool
