#include "core/model/operators/rule_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace tessera::model {

namespace {

const Shape kNoShape;

/// What an attribute holds, for messages.
struct Described {
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("the number {}", value); }
    std::string operator()(const std::string& value) const { return inQuotes(value); }
    std::string operator()(const std::vector<std::int64_t>& value) const {
        return value.size() == 1 ? "a list of 1 integer" : fmt::format("a list of {} integers", value.size());
    }
    std::string operator()(const std::vector<double>& value) const {
        return value.size() == 1 ? "a list of 1 number" : fmt::format("a list of {} numbers", value.size());
    }
    std::string operator()(const std::vector<std::string>& value) const {
        return value.size() == 1 ? "a list of 1 text" : fmt::format("a list of {} texts", value.size());
    }
};

std::string attributePart(const std::string& name) {
    return "attribute " + inQuotes(name);
}

std::string inputPart(std::size_t input) {
    return fmt::format("input {}", input + 1);
}

}  // namespace

bool isKnownElement(double element) {
    return !std::isnan(element);
}

std::int64_t wholeOf(double element) {
    constexpr double kLimit = 0x1p63;
    if (element >= kLimit) return std::numeric_limits<std::int64_t>::max();
    if (element < -kLimit) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(element);
}

bool isInteger(DataType type) {
    switch (type) {
        case DataType::uint8:
        case DataType::int8:
        case DataType::uint16:
        case DataType::int16:
        case DataType::int32:
        case DataType::int64:
        case DataType::uint32:
        case DataType::uint64:
        case DataType::uint4:
        case DataType::int4:
            return true;
        default:
            return false;
    }
}

std::string describeOperator(const std::string& name, const std::string& type) {
    return fmt::format("node {} ({})", inQuotes(name), escaped(type, 80));
}

const Shape& RuleContext::shape(std::size_t input) const {
    return has(input) ? inputs_[input].tensor->shape.get() : kNoShape;
}

DataType RuleContext::type(std::size_t input) const {
    return has(input) ? inputs_[input].tensor->type : DataType::undefined;
}

std::optional<std::size_t> RuleContext::rank(std::size_t input) const {
    const Shape& dims = shape(input);
    return dims ? std::optional(dims->size()) : std::nullopt;
}

std::int64_t RuleContext::dim(std::size_t input, std::size_t axis) const {
    const Shape& dims = shape(input);
    return dims && axis < dims->size() ? (*dims)[axis] : kUnknown;
}

const Elements* RuleContext::elements(std::size_t input) const {
    return has(input) ? inputs_[input].elements : nullptr;
}

std::optional<Integers> RuleContext::integersOf(std::size_t input) const {
    const auto count = elementCount(shape(input));
    if (count && *count > static_cast<std::int64_t>(kMaxDimensions))
        failInput(input, fmt::format("{} elements", *count), fmt::format("at most {}", kMaxDimensions));
    const Elements* const known = elements(input);
    if (known == nullptr || !std::all_of(known->begin(), known->end(), isKnownElement)) return std::nullopt;
    Integers integers(known->size());
    std::transform(known->begin(), known->end(), integers.begin(), wholeOf);
    return integers;
}

std::optional<double> RuleContext::scalarOf(std::size_t input) const {
    const Elements* const known = elements(input);
    if (known == nullptr || known->size() != 1 || !isKnownElement(known->front())) return std::nullopt;
    return known->front();
}

const AttributeValue* RuleContext::attribute(const std::string& name) const {
    const auto found = node_.attributes.find(name);
    return found == node_.attributes.end() ? nullptr : &found->second;
}

std::int64_t RuleContext::integer(const std::string& name, std::int64_t otherwise) const {
    const AttributeValue* const value = attribute(name);
    if (value == nullptr) return otherwise;
    if (const auto* const integer = std::get_if<std::int64_t>(value)) return *integer;
    failAttribute(name, std::visit(Described{}, *value), "an integer");
}

double RuleContext::real(const std::string& name, double otherwise) const {
    const AttributeValue* const value = attribute(name);
    if (value == nullptr) return otherwise;
    if (const auto* const integer = std::get_if<std::int64_t>(value)) return static_cast<double>(*integer);
    if (const auto* const real = std::get_if<double>(value)) return *real;
    failAttribute(name, std::visit(Described{}, *value), "a number");
}

std::string RuleContext::text(const std::string& name, const std::string& otherwise) const {
    const AttributeValue* const value = attribute(name);
    if (value == nullptr) return otherwise;
    if (const auto* const found = std::get_if<std::string>(value)) return *found;
    failAttribute(name, std::visit(Described{}, *value), "a text");
}

std::optional<Integers> RuleContext::integers(const std::string& name) const {
    const AttributeValue* const value = attribute(name);
    if (value == nullptr) return std::nullopt;
    if (const auto* const list = std::get_if<std::vector<std::int64_t>>(value)) return *list;
    if (const auto* const single = std::get_if<std::int64_t>(value)) return Integers{*single};
    // An empty list does not say what it is a list of.
    if (const auto* const reals = std::get_if<std::vector<double>>(value); reals != nullptr && reals->empty())
        return Integers{};
    failAttribute(name, std::visit(Described{}, *value), "a list of integers");
}

std::optional<std::vector<double>> RuleContext::reals(const std::string& name) const {
    const AttributeValue* const value = attribute(name);
    if (value == nullptr) return std::nullopt;
    if (const auto* const list = std::get_if<std::vector<double>>(value)) return *list;
    if (const auto* const list = std::get_if<std::vector<std::int64_t>>(value))
        return std::vector<double>(list->begin(), list->end());
    if (const auto* const single = std::get_if<double>(value)) return std::vector<double>{*single};
    if (const auto* const single = std::get_if<std::int64_t>(value))
        return std::vector<double>{static_cast<double>(*single)};
    failAttribute(name, std::visit(Described{}, *value), "a list of numbers");
}

RuleContext::IntegerList RuleContext::list(const std::string& attribute, std::size_t input) const {
    IntegerList result;
    if (has(input)) {
        result.given = true;
        result.values = integersOf(input);
        result.source = inputPart(input);
        return result;
    }
    result.values = integers(attribute);
    result.given = result.values.has_value();
    result.source = attributePart(attribute);
    return result;
}

void RuleContext::set(std::size_t output, DataType type, Shape shape) {
    if (output >= outputs_.size()) return;
    outputs_[output].type = type;
    outputs_[output].shape = std::move(shape);
}

void RuleContext::setLike(std::size_t output, std::size_t input) {
    if (output >= outputs_.size() || !has(input)) return;
    set(output, type(input), shape(input));
    outputs_[output].symbols = inputs_[input].tensor->symbols;
}

void RuleContext::setElements(std::size_t output, Elements elements) {
    if (output < outputs_.size()) outputs_[output].elements = std::move(elements);
}

std::optional<std::int64_t> RuleContext::outputElements(std::size_t output) const {
    return output < outputs_.size() ? elementCount(outputs_[output].shape) : std::nullopt;
}

std::size_t RuleContext::axis(std::int64_t axis, std::size_t rank, const std::string& source) const {
    const auto size = static_cast<std::int64_t>(rank);
    if (axis >= -size && axis < size) return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
    if (rank == 0) failAt(source, fmt::format("axis {} of a scalar", axis), "a tensor with axes");
    failAt(source, fmt::format("axis {}", axis), fmt::format("an axis from {} to {}", -size, size - 1));
}

std::size_t RuleContext::axisAttribute(const std::string& name, std::int64_t otherwise, std::size_t rank) const {
    return axis(integer(name, otherwise), rank, attributePart(name));
}

std::vector<std::size_t> RuleContext::axes(const IntegerList& list, std::size_t rank) const {
    std::vector<std::size_t> result;
    if (!list.values) return result;
    if (list.values->size() > rank)
        failAt(list.source, fmt::format("a list of {} axes", list.values->size()), fmt::format("at most {}", rank));
    for (const std::int64_t given : *list.values) result.push_back(axis(given, rank, list.source));
    std::sort(result.begin(), result.end());
    const auto twice = std::adjacent_find(result.begin(), result.end());
    if (twice != result.end()) failAt(list.source, fmt::format("axis {} twice", *twice), "distinct axes");
    return result;
}

void RuleContext::needRank(std::size_t input, std::size_t needed) const {
    const auto found = rank(input);
    if (found && *found != needed)
        failInput(input, toText(shape(input)), fmt::format("{} dimension{}", needed, needed == 1 ? "" : "s"));
}

void RuleContext::needRankAtLeast(std::size_t input, std::size_t needed) const {
    const auto found = rank(input);
    if (found && *found < needed)
        failInput(input, toText(shape(input)), fmt::format("at least {} dimension{}", needed, needed == 1 ? "" : "s"));
}

std::int64_t RuleContext::times(std::int64_t a, std::int64_t b) const {
    if (a == 0 || b == 0) return 0;
    if (a == kUnknown || b == kUnknown) return kUnknown;
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product) || product > kMaxElements)
        fail(fmt::format("{} times {} elements", a, b), "at most 2^53 elements in a tensor");
    return product;
}

std::int64_t RuleContext::plus(std::int64_t a, std::int64_t b) const {
    if (a == kUnknown || b == kUnknown) return kUnknown;
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum) || sum > kMaxElements)
        fail(fmt::format("{} plus {} elements", a, b), "at most 2^53 elements in a tensor");
    return sum;
}

std::string RuleContext::where() const {
    return describeOperator(node_.name, node_.type);
}

void RuleContext::fail(const std::string& found, const std::string& expected) const {
    throw DataError({.file = node_.file, .where = where()}, found, expected);
}

void RuleContext::failAt(const std::string& part, const std::string& found, const std::string& expected) const {
    throw DataError({.file = node_.file, .where = where() + ", " + part}, found, expected);
}

void RuleContext::failAttribute(const std::string& name, const std::string& found, const std::string& expected) const {
    failAt(attributePart(name), found, expected);
}

void RuleContext::failInput(std::size_t input, const std::string& found, const std::string& expected) const {
    failAt(inputPart(input), found, expected);
}

const Shape& CountContext::in(std::size_t input) const {
    return has(input) ? graph_.tensor(op_.inputs[input]).shape.get() : kNoShape;
}

const Shape& CountContext::out(std::size_t output) const {
    const bool there = output < op_.outputs.size() && op_.outputs[output] != kNoTensor;
    return there ? graph_.tensor(op_.outputs[output]).shape.get() : kNoShape;
}

std::optional<std::int64_t> CountContext::inDim(std::size_t input, std::int64_t axis) const {
    const Shape& shape = in(input);
    if (!shape) return std::nullopt;
    if (axis < 0) axis += static_cast<std::int64_t>(shape->size());
    if (axis < 0 || axis >= static_cast<std::int64_t>(shape->size())) return std::nullopt;
    const std::int64_t dim = (*shape)[static_cast<std::size_t>(axis)];
    return dim == kUnknown ? std::nullopt : std::optional(dim);
}

std::int64_t CountContext::integer(const std::string& name, std::int64_t otherwise) const {
    return attributeOr(op_.attributes, name, otherwise);
}

std::string CountContext::text(const std::string& name) const {
    return attributeOr(op_.attributes, name, std::string());
}

std::optional<Integers> CountContext::integers(const std::string& name) const {
    const auto* const list = attributeAs<Integers>(op_.attributes, name);
    return list == nullptr ? std::nullopt : std::optional(*list);
}

std::optional<std::int64_t> times(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    std::int64_t result = 0;
    if (!a || !b || __builtin_mul_overflow(*a, *b, &result)) return std::nullopt;
    return result;
}

std::optional<std::int64_t> plus(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    std::int64_t result = 0;
    if (!a || !b || __builtin_add_overflow(*a, *b, &result)) return std::nullopt;
    return result;
}

}  // namespace tessera::model
