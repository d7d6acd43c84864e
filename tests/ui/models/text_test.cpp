#include "ui/models/text.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QRegularExpression>
#include <string>

#include "core/base/character.h"
#include "tests/support/hostile_names.h"

namespace tessera::ui {
namespace {

/// Characters that act on what shows them.
bool hasControls(const QString& text) {
    const std::string bytes = text.toStdString();
    for (std::string_view rest = bytes; !rest.empty();) {
        const Character character = firstCharacter(rest);
        if (character.length == 0 || isControl(character.code)) return true;
        rest.remove_prefix(character.length);
    }
    return false;
}

TEST(HostileNames, areShownWithoutWhatActs) {
    for (const std::string& name : test::hostileNames()) EXPECT_FALSE(hasControls(shownText(name))) << name;
}

TEST(HostileNames, makeHarmlessNamesOfFiles) {
    static const QRegularExpression kHarmless(QStringLiteral("^[\\p{L}\\p{N}_][\\p{L}\\p{N}_-]{0,59}$"),
                                              QRegularExpression::UseUnicodePropertiesOption);
    for (const std::string& name : test::hostileNames()) {
        const QString stem = fileStem(QString::fromStdString(name));
        EXPECT_TRUE(kHarmless.match(stem).hasMatch()) << name << ": " << stem.toStdString();
    }
    EXPECT_EQ(fileStem(QStringLiteral("../../etc/passwd")), QStringLiteral("etc-passwd"));
    EXPECT_EQ(fileStem(QStringLiteral("ResNet 50 (v1.5)")), QStringLiteral("resnet-50-v1-5"));
    EXPECT_EQ(fileStem(QStringLiteral("層の名前")), QStringLiteral("層の名前"));
    EXPECT_EQ(fileStem(QStringLiteral("/:*")), QStringLiteral("tessera"));
}

TEST(HostileNames, areCopiedWithoutWhatActs) {
    for (const std::string& name : test::hostileNames()) {
        copyText(QString::fromStdString(name));
        QString copied = QGuiApplication::clipboard()->text();
        EXPECT_FALSE(copied.isEmpty()) << name;
        copied.remove(QLatin1Char('\n')).remove(QLatin1Char('\t'));
        EXPECT_FALSE(hasControls(copied)) << name;
    }
    copyText(QStringLiteral("layer\ttime\ncv1\t3\n"));
    EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("layer\ttime\ncv1\t3\n"));
}

}  // namespace
}  // namespace tessera::ui
