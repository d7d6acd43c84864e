#include "ui/editors/range_text.h"

#include <QRegularExpression>
#include <QStringList>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/base/text.h"
#include "core/hardware/numbers.h"
#include "core/hardware/template.h"
#include "ui/editors/json_path.h"
#include "ui/editors/quantity_text.h"
#include "ui/editors/sourced_number.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxValues = static_cast<int>(hardware::kMaxValues);

QString howToWrite(Measure measure) {
    return measure == Measure::bytes
               ? u"Write steps, such as 1 MiB to 128 MiB, ×2, or a list, such as 32 GiB, 80 GiB."_s
               : u"Write steps, such as 1 to 256, ×2, or a list, such as 1, 2, 4."_s;
}

/// The numbers of a range as they stand in the document, in order.
std::vector<const Json*> numbersOf(const Json& range) {
    std::vector<const Json*> numbers;
    if (range.is_array())
        for (const Json& number : range) numbers.push_back(&number);
    if (range.is_object())
        for (const char* end : {"from", "to"})
            if (range.contains(end)) numbers.push_back(&range.at(end));
    return numbers;
}

/// A number, with what is said about it where it stood in the range before; the user's own where it did not, in place
/// of the one at `end` of a range of steps.
Json numberFrom(double value, const Json& before, const char* end = nullptr) {
    const Json number = numberValue(value);
    if (before.is_null()) return number;
    for (const Json* old : numbersOf(before))
        if (plainValue(*old) == number) return *old;
    const bool replaces = end != nullptr && before.is_object() && before.contains(end);
    return setByHand(replaces ? before.at(end) : Json(), number);
}

struct StepText {
    bool multiplies = true;
    double amount = 2;
    std::string text() const { return (multiplies ? "×" : "+") + exactNumber(amount); }
};

std::optional<StepText> readStep(const QString& text, Measure measure) {
    if (text.isEmpty()) return StepText{};
    const bool multiplies = text.front() != QLatin1Char('+');
    const QuantityReading amount = readQuantity(text.mid(1).trimmed(), multiplies ? Measure::count : measure,
                                                {.min = multiplies ? 2.0 : 1.0, .max = 0x1p50, .whole = true});
    if (!amount.value) return std::nullopt;
    return StepText{multiplies, *amount.value};
}

int countOf(double from, double to, const StepText& step) {
    int count = 0;
    for (double value = from; value <= to && count <= kMaxValues; ++count)
        value = step.multiplies ? value * step.amount : value + step.amount;
    return count;
}

RangeReading wrong(const QString& text, const QString& problem) {
    return {Json(text.toStdString()), problem, 0};
}

RangeReading readSteps(const QString& text, const QRegularExpressionMatch& match, Measure measure, const Json& before) {
    const QuantityRange whole{.min = 1, .max = 0x1p50, .whole = true};
    const QuantityReading from = readQuantity(match.captured(1), measure, whole);
    const QuantityReading to = readQuantity(match.captured(2), measure, whole);
    const std::optional<StepText> step = readStep((match.captured(3) + match.captured(4)).trimmed(), measure);
    if (!from.value || !to.value) return wrong(text, from.value ? to.problem : from.problem);
    if (!step) return wrong(text, howToWrite(measure));
    Json range = Json::object();
    range["from"] = numberFrom(*from.value, before, "from");
    range["to"] = numberFrom(*to.value, before, "to");
    range["step"] = step->text();
    return {range, {}, countOf(*from.value, *to.value, *step)};
}

RangeReading readList(const QString& text, Measure measure, const Json& before) {
    Json list = Json::array();
    for (const QString& part : text.split(QLatin1Char(','))) {
        const QuantityReading number = readQuantity(part, measure, {.min = 1, .max = 0x1p50, .whole = true});
        if (!number.value) return wrong(text, part.trimmed().isEmpty() ? howToWrite(measure) : number.problem);
        list.push_back(numberFrom(*number.value, before));
    }
    const auto count = static_cast<int>(list.size());
    return {list, {}, count};
}

QString numberText(const Json& number, Measure measure) {
    const Json& plain = plainValue(number);
    return plain.is_number() ? exactQuantity(plain.get<double>(), measure)
                             : toQt(escaped(plain.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

/// "×2", or "+8 MiB" of "+8388608".
QString stepText(const Json& step, Measure measure) {
    if (!step.is_string()) return {};
    const QString text = toQt(escaped(step.get<std::string>(), 40));
    bool isNumber = false;
    const double amount = text.mid(1).toDouble(&isNumber);
    return text.startsWith(QLatin1Char('+')) && isNumber ? QLatin1Char('+') + exactQuantity(amount, measure) : text;
}

}  // namespace

RangeReading readRangeText(const QString& text, Measure measure, const Json& before) {
    static const QRegularExpression kSteps(
        QStringLiteral(
            R"(^\s*(.+?)\s*(?:\bto\b|…|\.\.\.?|–)\s*(.+?)(?:[\s,]*([×xX*]\s*[0-9].*)|[\s,]+(\+\s*[0-9].*))?\s*$)"),
        QRegularExpression::UseUnicodePropertiesOption);
    if (text.trimmed().isEmpty()) return {Json(""), howToWrite(measure), 0};
    const QRegularExpressionMatch steps = kSteps.match(text);
    const RangeReading reading =
        steps.hasMatch() ? readSteps(text, steps, measure, before) : readList(text, measure, before);
    if (reading.problem.isEmpty() && reading.count > kMaxValues)
        return {reading.value, u"These are more than %1 values."_s.arg(kMaxValues), reading.count};
    return reading;
}

QString rangeText(const Json& range, Measure measure) {
    if (range.is_array()) {
        QStringList parts;
        for (const Json& number : range) parts << numberText(number, measure);
        return parts.join(u", "_s);
    }
    if (range.is_string()) return toQt(range.get<std::string>());
    if (!range.is_object() || !range.contains("from") || !range.contains("to")) return {};
    const QString step = range.contains("step") ? stepText(range.at("step"), measure) : QString();
    return u"%1 to %2, %3"_s.arg(numberText(range.at("from"), measure), numberText(range.at("to"), measure), step);
}

Json provenanceOfRange(const Json& range) {
    const std::vector<const Json*> numbers = numbersOf(range);
    for (const Json* number : numbers)
        if (memberText(*number, "class") == QLatin1String(hardware::kOwnNumber)) return *number;
    return numbers.empty() ? Json() : *numbers.front();
}

Json rangeWithProvenance(Json range, const QString& source, const QString& reliability) {
    if (range.is_array())
        for (Json& number : range) number = withProvenance(number, source, reliability);
    if (range.is_object())
        for (const char* end : {"from", "to"})
            if (range.contains(end)) range[end] = withProvenance(range.at(end), source, reliability);
    return range;
}

}  // namespace tessera::ui
