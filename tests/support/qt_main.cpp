#include <gtest/gtest.h>

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>

#include "ui/theme/theme.h"

/// Tests of the window run without a display, in the light theme, and never touch settings, data and kept edits of a
/// person, nor those of tests that run at the same time: all of them lie in a folder of this process and of those that
/// it starts.
int main(int argumentCount, char** arguments) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QTemporaryDir own;
    constexpr const char* kIsStarted = "TESSERA_TEST_HAS_FOLDERS";
    if (!qEnvironmentVariableIsSet(kIsStarted))
        for (const char* place : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
            qputenv(place, own.filePath(QString::fromLatin1(place)).toUtf8());
    qputenv(kIsStarted, "1");
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, own.path());
    QApplication application(argumentCount, arguments);
    QApplication::setOrganizationName(QStringLiteral("tessera"));
    QApplication::setApplicationName(QStringLiteral("tessera-tests"));
    tessera::ui::theme().apply(tessera::ui::ThemeMode::light);
    testing::InitGoogleTest(&argumentCount, arguments);
    return RUN_ALL_TESTS();
}
