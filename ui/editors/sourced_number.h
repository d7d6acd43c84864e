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

/// What stands in the document once a user sets `value` where `before` stood: a number of their own with the day, and
/// with the one before it where that one said where it came from. The number before that, typed again, is that number
/// again. Null where `value` is.
Json setByHand(const Json& before, const Json& value, const QDate& day = QDate::currentDate());

/// "200 Gb/s, datasheet: NVIDIA A100 datasheet": what a number of the user's own replaced; empty where that is not
/// said.
QString formerText(const Json& number, const FieldRow& row);
/// The replaced number alone: "200 Gb/s".
QString formerNumber(const Json& number, const FieldRow& row);
/// The text of a member of the long form, such as "source"; empty where there is none.
QString saidOf(const Json& number, const char* key);

}  // namespace tessera::ui
