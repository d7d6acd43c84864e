#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "core/study/result.h"

class QLabel;

namespace tessera::ui {

class TableModel;

/// What a result warns of and rests on, beside the inputs that it was made from.
class AssumptionsPane : public QWidget {
    Q_OBJECT

public:
    explicit AssumptionsPane(QWidget* parent = nullptr);
    void setResult(const study::Result& result);

private:
    QLabel* sentences_;
    std::shared_ptr<std::vector<study::Input>> inputs_;
    TableModel* model_;
};

}  // namespace tessera::ui
