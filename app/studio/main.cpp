#include <QApplication>

#include "ui/theme/theme.h"
#include "ui/workspace/main_window.h"

int main(int argumentCount, char** arguments) {
    QApplication application(argumentCount, arguments);
    tessera::ui::theme().apply(tessera::ui::ThemeMode::system);
    tessera::ui::MainWindow window({});
    window.show();
    return QApplication::exec();
}
