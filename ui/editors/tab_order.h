#pragma once

#include <QVector>

class QWidget;

namespace tessera::ui {

/// Tab goes through the controls of `parts` in this order, inside of each part as it did before. Null parts are left
/// out.
void orderTabs(const QVector<QWidget*>& parts);

}  // namespace tessera::ui
