#pragma once

#include <QDate>
#include <QString>

#include "core/base/json.h"
#include "ui/editors/field.h"

/// Numbers in the long form that says where they come from: {"value": …, "source": …, "class": …}.
namespace tessera::ui {

/// The value with another provenance; a plain number where both are empty. What a number of the user's own replaced
/// stays said while it is one.
Json withProvenance(const Json& value, const QString& source, const QString& reliability);

/// Returns the JSON of a number that the user has set: `value` with the day, and the number before it where that one
/// named its source. The earlier number, typed again, gets its source back. Null where `value` is.
Json setByHand(const Json& before, const Json& value, const QDate& day = QDate::currentDate());

/// "200 Gb/s, datasheet: NVIDIA A100 datasheet": what a number of the user's own replaced; empty where that is not
/// said.
QString formerText(const Json& number, const FieldRow& row);
/// The replaced number alone: "200 Gb/s".
QString formerNumber(const Json& number, const FieldRow& row);
/// The text of a member of the long form, such as "source"; empty where there is none.
QString memberText(const Json& number, const char* key);

}  // namespace tessera::ui
