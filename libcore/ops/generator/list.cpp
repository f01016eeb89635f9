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

using enum OpTrait;

constexpr OpEntry generator_entries[] = {
    op_entry<Bernoulli>({.set = {own_result_type, random}}),
    op_entry<Constant>({.set = {own_result_type}}),
    op_entry<ConstantOfShape>({.set = {own_result_type}, .shape = 0}),
    op_entry<EyeLike>({.set = {own_result_type}}),
    op_entry<Multinomial>({.set = {own_result_type, random}}),
    op_entry<RandomNormal>({.set = {own_result_type, random}}),
    op_entry<RandomNormalLike>({.set = {own_result_type, random}}),
    op_entry<RandomUniform>({.set = {own_result_type, random}}),
    op_entry<RandomUniformLike>({.set = {own_result_type, random}}),
    op_entry<Range>({.set = {needs_float32, infers_elements}}),
};

}  // namespace

std::span<const OpEntry> generator_operators() {
  return generator_entries;
}

}  // namespace ortool
