#include "ui/editors/sourced_number.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/hardware/numbers.h"
#include "ui/editors/json_path.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

const char* const kWas = "was";

bool isOwn(const Json& number) {
    return isSourced(number) && number.value("class", Json()) == Json(hardware::kOwnNumber);
}

}  // namespace

QString memberText(const Json& number, const char* key) {
    if (!isSourced(number) || !number.contains(key) || !number.at(key).is_string()) return {};
    return toQt(escaped(number.at(key).get_ref<const std::string&>(), 1000));
}

Json withProvenance(const Json& value, const QString& source, const QString& reliability) {
    if (source.isEmpty() && reliability.isEmpty()) return plainValue(value);
    Json full = Json::object();
    full["value"] = plainValue(value);
    if (!source.isEmpty()) full["source"] = source.toStdString();
    if (!reliability.isEmpty()) full["class"] = reliability.toStdString();
    if (isOwn(full) && isOwn(value) && value.contains(kWas)) full[kWas] = value.at(kWas);
    return full;
}

Json setByHand(const Json& before, const Json& value, const QDate& day) {
    return hardware::ownNumber(before, value, u"set by hand on %1"_s.arg(day.toString(Qt::ISODate)).toStdString());
}

QString formerNumber(const Json& number, const FieldRow& row) {
    if (!isOwn(number) || !number.contains(kWas)) return {};
    FieldRow alone;
    alone.measure = row.measure;
    const QString text = shownValue(number.at(kWas), alone);
    return row.unit.isEmpty() ? text : u"%1 %2"_s.arg(text, row.unit);
}

QString formerText(const Json& number, const FieldRow& row) {
    QString text = formerNumber(number, row);
    if (text.isEmpty()) return text;
    const Json& was = number.at(kWas);
    const QString reliability = memberText(was, "class");
    const QString source = memberText(was, "source");
    if (!reliability.isEmpty()) text += u", "_s + reliability;
    if (!source.isEmpty()) text += (reliability.isEmpty() ? u", "_s : u": "_s) + source;
    return text;
}

}  // namespace tessera::ui
