// Schemas of windows over images with the channels last; the shape rules are those of NCHW.
#include "libcore/ops/contrib/fused/channels_last.hpp"

#include "libcore/ops/contrib/fused/channels_last_context.hpp"
#include "libcore/ops/contrib_domain.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<AttributeSpec> nhwc_conv_attributes = {
    {"auto_pad", AttributeKind::string, false, "NOTSET"},
    {"dilations", AttributeKind::integers},
    {"group", AttributeKind::integer, false, 1},
    {"kernel_shape", AttributeKind::integers},
    {"pads", AttributeKind::integers},
    {"strides", AttributeKind::integers}};
constexpr std::initializer_list<AttributeSpec> nhwc_fused_attributes = {
    {"activation", AttributeKind::string},
    {"activation_params", AttributeKind::floats},
    {"auto_pad", AttributeKind::string, false, "NOTSET"},
    {"dilations", AttributeKind::integers},
    {"group", AttributeKind::integer, false, 1},
    {"kernel_shape", AttributeKind::integers},
    {"pads", AttributeKind::integers},
    {"strides", AttributeKind::integers}};
constexpr std::initializer_list<Formal> conv_operands = {
    {"X", "T"}, {"W", "T"}, {"B", "T", Formal::Count::optional}};

}  // namespace

constinit const OpSchema NhwcConv::schema = {"NhwcConv",
                                             contrib_domain,
                                             {{.since = 1,
                                               .inputs = conv_operands,
                                               .outputs = {{"Y", "T"}},
                                               .attributes = nhwc_conv_attributes,
                                               .types = {{"T", types::high_floats}}}}};

constinit const OpSchema NhwcFusedConv::schema = {
    "NhwcFusedConv",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"},
                 {"W", "T"},
                 {"B", "T", Formal::Count::optional},
                 {"Z", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = nhwc_fused_attributes,
      .types = {{"T", types_of({DataType::float16, DataType::float32})}}}}};

constinit const OpSchema NhwcMaxPool::schema = {
    "NhwcMaxPool",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"x", "T"}},
      .outputs = {{"y", "T"}},
      .attributes = {{"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"ceil_mode", AttributeKind::integer, false, 0},
                     {"dilations", AttributeKind::integers},
                     {"kernel_shape", AttributeKind::integers, true},
                     {"pads", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = {{"T", types_of({DataType::int8, DataType::uint8})}}}}};

constinit const OpSchema ProviderNhwcConv::schema = {"Conv",
                                                     provider_nhwc_domain,
                                                     {{.since = 1,
                                                       .inputs = conv_operands,
                                                       .outputs = {{"Y", "T"}},
                                                       .attributes = nhwc_fused_attributes,
                                                       .types = {{"T", types::floats}}}}};

void NhwcConv::infer(InferContext& context) const {
  ChannelsLastContext planes(context, {0, 1});
  Conv::infer(planes);
}

void NhwcFusedConv::infer(InferContext& context) const {
  ChannelsLastContext planes(context, {0, 3});
  FusedConv::infer(planes);
}

void NhwcMaxPool::infer(InferContext& context) const {
  ChannelsLastContext planes(context, {0});
  MaxPool::infer(planes);
}

void ProviderNhwcConv::infer(InferContext& context) const {
  ChannelsLastContext planes(context, {0});
  FusedConv::infer(planes);
}

}  // namespace ortool
