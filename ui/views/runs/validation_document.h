#pragma once

#include <memory>

#include "ui/models/validation_data.h"
#include "ui/views/document.h"

namespace tessera::ui {

class PlotWidget;

/// Predictions beside measurements: predicted over measured, sets and rows with their errors, and any prediction
/// explained. `key` is empty for the bundled tables, or a table of the user's own. Opens without a run.
class ValidationDocument : public Document {
    Q_OBJECT

public:
    explicit ValidationDocument(const QString& key, QWidget* parent = nullptr);
    ~ValidationDocument() override;
    QString kind() const override { return QStringLiteral("validation"); }
    QString title() const override;
    QString iconName() const override { return QStringLiteral("validation"); }
    QVector<QAction*> documentActions() override;
    QVector<Exportable> exportables() override;
    Facts overview() const override;
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;

    bool isComputing() const;
    void cancel();  ///< of the computation; nothing where there is none
    /// Looked at now; without data before it is computed.
    const ValidationChoice& choice() const;
    void setQuantity(const QString& id);  ///< unknown ones are ignored
    void setFilter(const QString& words);
    void setSetShown(const QString& set, bool shown);
    /// Looks at a row (its place in `physical::Validation::rows`) in all parts.
    void chooseRow(std::size_t row);
    PlotWidget* plot() const;  ///< nullptr = not there yet

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
