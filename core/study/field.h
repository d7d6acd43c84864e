#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/units.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"

/// The numbers and words of a result's rows, each defined once: metrics, tables for people, exact tables, the window's
/// tables and facts are made from these.
namespace tessera::study {

/// Outputs that have a field.
enum FieldUse : unsigned {
    kMetric = 1,       ///< metrics, so also history and comparisons
    kText = 2,         ///< tables of terminals and reports
    kExactTable = 4,   ///< spreadsheets, full precision
    kTable = 8,        ///< the window's tables
    kFacts = 16,       ///< what the window says of a chosen row
    kWhat = 32,        ///< likewise, what the row is, whatever was chosen for it
    kWords = 64,       ///< no output, but a kind: its values are words
    kSummed = 128,     ///< the window's table shows the sum
    kOptional = 256,   ///< left out of a table for people where no row has a value
    kUncertain = 512,  ///< the metric carries an error: is said with three digits
    kParts = 1024,     ///< a second table for people: what a whole consists of
    kExplained = 2048  ///< study::explain knows it by its id, as it does every metric
};

/// Value of a field; std::monostate where the row has none.
using FieldValue = std::variant<std::monostate, double, std::string>;

/// A value as fields have it: a number, a quantity in its base unit, words; nothing where there is none.
inline FieldValue given(double value) {
    return value;
}
inline FieldValue given(std::string_view words) {
    return words.empty() ? FieldValue() : FieldValue(std::string(words));
}
template <std::integral Count>
FieldValue given(Count count) {
    return static_cast<double>(count);
}
template <typename Quantity>
requires requires(const Quantity& quantity) {
    { quantity.value } -> std::convertible_to<double>;
}
FieldValue given(const Quantity& quantity) {
    return quantity.value;
}
template <typename Value>
FieldValue given(const std::optional<Value>& value) {
    return value ? given(*value) : FieldValue();
}

/// The value of a member or of a function of a row.
template <auto part, typename Row>
FieldValue valueOf(const Row& row) {
    return given(std::invoke(part, row));
}

template <typename Row>
struct Field {
    std::string_view id;     ///< "makespan_cycles", its unit as the suffix; heads the column of an exact table
    std::string_view title;  ///< "Makespan"
    unsigned uses = 0;       ///< of FieldUse
    FieldValue (*get)(const Row& row) = nullptr;
    std::string (*text)(const Row& row) = nullptr;  ///< rounded, for people; null = by the measure
    Measure measure = Measure::count;
    Metric::Better better = Metric::Better::neither;
    std::string_view help = {};
    std::string_view explained = {};                ///< what study::explain knows it by, if not by its id
    std::string (*format)(double value) = nullptr;  ///< a value for people, where neither text nor measure say it
    std::string_view formula = {};                  ///< how it comes about, for its explanation
    std::string_view source = {};                   ///< of the formula: "section 4.3" of the paper, "definition"
    void (*terms)(const Row& row, std::vector<Explanation::Term>& terms) = nullptr;  ///< what is put into the formula
    std::string_view head = {};  ///< over columns for people and of the window, where the title is too long for one

    /// Returns the field with its formula, the formula's source and terms.
    Field by(std::string_view itsFormula, std::string_view itsSource,
             void (*itsTerms)(const Row& row, std::vector<Explanation::Term>& terms)) const {
        Field field = *this;
        field.formula = itsFormula;
        field.source = itsSource;
        field.terms = itsTerms;
        return field;
    }
    /// Returns the field with another heading of columns.
    Field headed(std::string_view heading) const {
        Field field = *this;
        field.head = heading;
        return field;
    }
};

/// "Samples/s": the heading of a column.
template <typename Row>
std::string_view headOf(const Field<Row>& field) {
    return field.head.empty() ? field.title : field.head;
}

/// The last part of its path for study::explain; empty = it is not explained.
template <typename Row>
std::string_view pathOf(const Field<Row>& field) {
    const bool byId = field.explained.empty() && (field.uses & (kMetric | kExplained)) != 0;
    return byId ? field.id : field.explained;
}

/// "9.5 ms", "–" where the row has no value.
template <typename Row>
std::string textOf(const Field<Row>& field, const Row& row) {
    const FieldValue value = field.get(row);
    if (std::holds_alternative<std::monostate>(value)) return "–";
    if (field.text != nullptr) return field.text(row);
    if (const auto* words = std::get_if<std::string>(&value)) return *words;
    if (field.format != nullptr) return field.format(std::get<double>(value));
    return field.measure == Measure::count ? formatCount(std::get<double>(value))
                                           : formatQuantity(std::get<double>(value), field.measure);
}

/// Full precision, "" where the row has no value.
template <typename Row>
std::string exactOf(const Field<Row>& field, const Row& row) {
    const FieldValue value = field.get(row);
    if (const auto* words = std::get_if<std::string>(&value)) return *words;
    const auto* number = std::get_if<double>(&value);
    return number == nullptr ? std::string() : exactNumber(*number);
}

}  // namespace tessera::study
