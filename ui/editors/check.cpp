#include "ui/editors/check.h"

#include <QSet>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/hardware/field.h"
#include "ui/editors/json_path.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxProblems = 20;
constexpr std::size_t kLongestReason = 400;  // bytes

QString sentenceOf(const DataError& error) {
    const QString expected = toQt(escaped(error.expected));
    if (error.found == "missing") return u"This is needed."_s;
    if (error.found == "unknown") return u"Files of this kind have no such field; expected %1."_s.arg(expected);
    return u"This is %1; expected %2."_s.arg(toQt(escaped(error.found)), expected);
}

std::string lastKeyOf(const std::string& field) {
    const std::size_t dot = field.find_last_of('.');
    return dot == std::string::npos ? field : field.substr(dot + 1);
}

/// Makes the document readable at the field; false where nothing helps.
bool mend(Json& document, const std::string& field, bool missing, const Placeholders& stands, int number) {
    const std::string key = lastKeyOf(field);
    const auto stand = stands.find(key);
    if (stand != stands.end()) {
        const Json value = stand->second.is_string()
                               ? Json(stand->second.get<std::string>() + " " + std::to_string(number))
                               : stand->second;
        JsonPath path = pathFromDotted(document, field);
        if (missing) path.push_back(key);
        setValue(document, path, value);
        return true;
    }
    if (missing || field.empty()) return false;
    const JsonPath path = pathFromDotted(document, field);
    if (path.empty()) return false;
    eraseValue(document, path);
    return true;
}

/// A part that is missing only because something wrong inside of it was taken out to read on.
bool isTakenOut(const Problems& problems, const std::string& field) {
    return std::any_of(problems.begin(), problems.end(),
                       [&](const Problem& problem) { return problem.field.starts_with(field + "."); });
}

}  // namespace

std::string withoutValue(const std::string& field) {
    constexpr std::string_view kValue = ".value";
    return field.ends_with(kValue) ? field.substr(0, field.size() - kValue.size()) : field;
}

QString reasonOf(const std::exception& error) {
    const std::string text = error.what();
    std::size_t end = text.size();
    for (const char* command : {"; 'tessera ", " 'tessera ", "; `tessera "}) end = std::min(end, text.find(command));
    QString reason = toQt(escaped(text.substr(0, end), kLongestReason));
    if (!reason.isEmpty()) reason[0] = reason[0].toUpper();
    return reason.endsWith(QLatin1Char('?')) || reason.endsWith(QLatin1Char('.')) ? reason : reason + QLatin1Char('.');
}

QString problemAt(const Problems& problems, const std::string& field) {
    for (const Problem& problem : problems)
        if (problem.field == field || problem.field == field + ".value") return problem.sentence;
    return {};
}

Problems joinedProblems(const Problems& ofControls, const Problems& ofReader) {
    Problems all = ofControls;
    for (const Problem& problem : ofReader)
        if (problem.field.empty() || problemAt(all, withoutValue(problem.field)).isEmpty()) all.push_back(problem);
    return all;
}

Problems findProblems(Json document, const std::string& file, const Reader& reader, const Placeholders& stands) {
    Problems problems;
    QSet<QString> seen;
    // A field of another file, which this one names, belongs to the naming field's own error.
    const auto add = [&](const DataError& error) {
        const bool own = error.place.file == file;
        problems.push_back({own ? error.place.field : "", own ? sentenceOf(error) : toQt(error.what()),
                            own && error.found == "unknown"});
    };
    for (int round = 0; round < kMaxProblems; ++round) {
        try {
            reader(JsonDocument::parse(toText(document), file).root());
            break;
        } catch (const hardware::Faults& faults) {
            for (const DataError& fault : faults.all) add(fault);
            break;
        } catch (const DataError& error) {
            const std::string field = error.place.file == file ? error.place.field : "";
            if (seen.contains(toQt(field))) break;
            seen.insert(toQt(field));
            const bool missing = error.found == "missing";
            if (!missing || !isTakenOut(problems, field)) add(error);
            if (stands.empty() || !mend(document, field, missing, stands, round)) break;
        } catch (const std::exception& error) {
            problems.push_back({"", shownText(error.what(), 1000)});
            break;
        }
    }
    return problems;
}

}  // namespace tessera::ui
