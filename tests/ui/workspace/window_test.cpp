#include <gtest/gtest.h>

#include <QTemporaryDir>

#include "tests/support/pictures.h"
#include "ui/views/document.h"
#include "ui/workspace/main_window.h"

namespace tessera::ui {

TEST(Window, beginsWithTheWelcomePage) {
    const QTemporaryDir folder;
    MainWindow window({.history = folder.filePath("history.db").toStdString(), .restoreSession = false});
    window.show();
    ASSERT_NE(window.currentDocument(), nullptr);
    EXPECT_EQ(window.currentDocument()->kind(), "welcome");
    test::waitUntil([] { return false; }, 1500);
    test::savePicture(window, "window-welcome");
}

}  // namespace tessera::ui
