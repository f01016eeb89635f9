// The generator operators, one line each, sorted by domain, then name.
#include "libcore/ops/generator/constant.hpp"
#include "libcore/ops/generator/constant_of_shape.hpp"
#include "libcore/ops/generator/eye_like.hpp"
#include "libcore/ops/generator/random.hpp"
#include "libcore/ops/generator/range.hpp"
#include "libcore/ops/generator/sampling.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry generator_entries[] = {
    op_entry<Bernoulli>(),         op_entry<Constant>(),
    op_entry<ConstantOfShape>(),   op_entry<EyeLike>(),
    op_entry<Multinomial>(),       op_entry<RandomNormal>(),
    op_entry<RandomNormalLike>(),  op_entry<RandomUniform>(),
    op_entry<RandomUniformLike>(), op_entry<Range>(),
};

}  // namespace

std::span<const OpEntry> generator_operators() {
  return generator_entries;
}

}  // namespace ortool
